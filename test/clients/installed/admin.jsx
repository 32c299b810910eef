/** A react-admin application as its users write one: the provider from npm, and nothing of this library's. */
import { createRoot } from 'react-dom/client';
import {
  Admin,
  Create,
  Datagrid,
  Edit,
  List,
  LoginWithEmail,
  NumberInput,
  ReferenceField,
  ReferenceInput,
  Resource,
  SimpleForm,
  TextField,
  TextInput,
} from 'react-admin';
import { strapiAuthProvider, strapiDataProvider, strapiHttpClient } from 'ra-strapi';

const baseURL = new URLSearchParams(location.search).get('api');
const authProvider = strapiAuthProvider({ baseURL });
const dataProvider = strapiDataProvider({ baseURL, httpClient: strapiHttpClient() });

const form = (
  <SimpleForm>
    <TextInput source="name" />
    <NumberInput source="price" />
    <ReferenceInput source="maker" reference="authors" />
  </SimpleForm>
);

const Products = () => (
  <List filters={[<TextInput key="name" source="name_contains" label="Name" alwaysOn />]}>
    <Datagrid rowClick="edit">
      <TextField source="name" />
      <TextField source="price" />
      <ReferenceField source="maker" reference="authors" />
    </Datagrid>
  </List>
);
const NewProduct = () => <Create redirect="list">{form}</Create>;
const Product = () => <Edit mutationMode="pessimistic">{form}</Edit>;

globalThis.dataProvider = dataProvider;
globalThis.authProvider = authProvider;
createRoot(document.body.appendChild(document.createElement('div'))).render(
  <Admin authProvider={authProvider} dataProvider={dataProvider} loginPage={LoginWithEmail} disableTelemetry>
    <Resource name="products" list={Products} create={NewProduct} edit={Product} />
    <Resource name="authors" recordRepresentation="name" />
  </Admin>,
);
