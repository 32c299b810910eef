/** History of one document: its versions, and the one that is chosen. */
import { Anchor, Select, Text } from '@mantine/core';
import { useEffect } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { titleOfValue } from '../../form/values.ts';
import type { Type } from '../../model/model.ts';
import { pageQuery } from '../../model/page-query.ts';
import { Frame } from '../../parts/frame.tsx';
import { isLong } from '../../parts/long-list.ts';
import { useShown } from '../../parts/shown.ts';
import { isolated } from '../../texts/isolated.ts';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { useVersion, useVersions } from './requests.ts';
import { VersionList } from './version-list.tsx';
import { OneVersion } from './version.tsx';

const ALL = '*';

interface Props {
  readonly type: Type;
  /** Null for single types. */
  readonly documentId: string | null;
}

/** Languages of the list: that of the address, else the default one. */
function useLocale({ localized }: Type) {
  const model = useModel();
  const [address] = useSearchParams();
  const hasLocales = localized && model.locales.length > 1;
  const locale = hasLocales ? (address.get('locale') ?? model.defaultLocale) : ALL;
  return { locale, hasLocales, chosen: address.get('version'), at: address.get('at') };
}

export function HistoryScreen({ type, documentId }: Props) {
  const { history, untitled } = useTexts();
  const model = useModel();
  const [, navigate] = useLocation();
  const isShown = useShown();
  const { locale, hasLocales, chosen: version, at } = useLocale(type);
  const subject = { type, documentId };
  const list = useVersions(subject, locale === ALL ? null : locale);
  const versions = list.data?.pages.flatMap(({ data }) => data);
  const chosen =
    version ?? versions?.find((one) => at !== null && one.since <= at && at <= one.at)?.id ?? null;
  // After a page that failed, the editor asks again.
  const mayLoad = list.hasNextPage && !list.isFetching && list.error === null;
  const isSought = at !== null && chosen === null && mayLoad;
  useEffect(() => {
    if (isSought) void list.fetchNextPage();
  }, [isSought, list]);
  const newest = versions?.find(({ action }) => action !== 'delete' && action !== 'unpublish') ?? null;
  const selected = chosen ?? versions?.[0]?.id ?? null;
  const { data: latest } = useVersion(subject, newest?.id ?? null);
  const name =
    type.kind === 'singleType' ? type.label : titleOfValue(latest?.content?.[type.title]) || untitled;
  const place = documentId === null ? type.name : `${type.name}/${documentId}`;
  const addressOf = (locale: string | null): string => pageQuery(type, locale === ALL ? null : locale, model);
  const hrefOf = (id: string | null, at = locale): string => {
    const query = new URLSearchParams();
    if (hasLocales && at !== model.defaultLocale) query.set('locale', at);
    if (id !== null) query.set('version', id);
    return `/history/${place}${query.size === 0 ? '' : `?${query.toString()}`}`;
  };
  const documents = { href: `/content/${type.name}${addressOf(locale)}`, label: type.listLabel };
  const way = [
    ...(type.kind === 'collectionType' ? [documents] : []),
    { href: `/content/${place}${addressOf(locale)}`, label: history.back },
  ];
  return (
    <Frame
      title={latest === undefined ? history.title : history.of(isolated(name))}
      way={way}
      isLoading={list.isFetching}
      error={list.error}
      retry={() => void list.refetch()}
      tools={hasLocales && <Languages locale={locale} choose={(next) => navigate(hrefOf(null, next))} />}
    >
      {versions?.length === 0 && (
        <Text py="md">{hasLocales && locale !== ALL ? history.noneHere : history.none}</Text>
      )}
      {versions !== undefined && versions.length > 0 && (
        <div className={chosen === null ? 'desk-history' : 'desk-history desk-history-chosen'}>
          <div className="desk-history-list">
            <VersionList
              {...{ versions, selected, hrefOf }}
              showsLocale={hasLocales && locale === ALL}
              hasDrafts={type.draftAndPublish}
              more={list.hasNextPage ? () => void list.fetchNextPage() : null}
              isLoading={list.isFetchingNextPage}
            />
          </div>
          <div className="desk-history-one">
            <Anchor component={Link} size="sm" href={hrefOf(null)} className="desk-history-back">
              {history.allVersions}
            </Anchor>
            {selected !== null && (
              <OneVersion
                key={selected}
                subject={subject}
                id={selected}
                others={versions}
                isEnd={!list.hasNextPage}
                load={mayLoad ? () => void list.fetchNextPage() : null}
                restored={(at) => void (isShown.current && navigate(`/content/${place}${addressOf(at)}`))}
              />
            )}
          </div>
        </div>
      )}
    </Frame>
  );
}

function Languages({
  locale,
  choose,
}: {
  readonly locale: string;
  readonly choose: (locale: string) => void;
}) {
  const texts = useTexts();
  const { locales } = useModel();
  const { localeName } = useFormats();
  return (
    <Select
      aria-label={texts.locale}
      data={[
        ...locales.map((code) => ({ value: code, label: localeName(code) })),
        { value: ALL, label: texts.history.allLocales },
      ]}
      value={locale}
      allowDeselect={false}
      searchable={isLong(locales)}
      onChange={(next) => choose(next ?? ALL)}
      w={180}
    />
  );
}
