# Caches what types with `sharedMaxAge` allow.
vcl 4.1;

backend default {
  .host = "nginx";
  .port = "8080";
}

sub vcl_recv {
  # Responses for a caller, and for a client that wants to see its own writes.
  if (req.http.Authorization || req.http.Content-Position) {
    return (pass);
  }
}

sub vcl_backend_response {
  # Varnish would send a response for another 10 seconds after its time, in spite of `must-revalidate`.
  set beresp.grace = 0s;
  # An old response is kept to ask for changes with `If-None-Match`, and is never sent without that.
  set beresp.keep = 10m;
}
