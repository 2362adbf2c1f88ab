/** Figures: the pictures and tables of papers, by words or by a picture; with neither those of the newest papers. */
import { Image, ImagePlus, ImageUp, SlidersHorizontal } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useWords } from "../../i18n";
import { holesOf } from "../../i18n/translation";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { queryStems } from "../../parts/marks";
import { useParams, type Values } from "../../parts/params";
import { SearchBox } from "../../parts/SearchBox";
import { Trouble } from "../../parts/Trouble";
import { useKeys } from "../../shell/keys";
import "../search/search.css";
import { type Crop, formatCrop, isLikeness, KINDS, MOST_K, readSearch } from "./figureSearch";
import { FigureCard } from "./Card";
import "./figures.css";
import { useFigure, useFigureResults } from "./queries";
import { pictureOf, holdPicture } from "./droppedPictures";
import { LargeFigure, LargePicture } from "./Large";
import { EncodeNotice, countUnencoded } from "./EncodeNotice";
import { More } from "./More";
import { usePictures } from "./pictures";
import { Source } from "./Source";

/** What is asked for in place of it. */
const NO_SEARCH = { q: null, like: null, picture: null, crop: null, k: null, view: null, read: null, page: null, span: null };
/** In the address: the picture that is asked for is looked at, not a figure. */
const PICTURE_VIEW = "picture";

export default function FiguresPage() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const search = readSearch(params);
  const figuresQuery = useFigureResults(search);
  const stems = useMemo(() => queryStems(search.q), [search.q]);
  const box = useRef<HTMLInputElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const [isMore, more] = useState(false);
  useKeys([{ keys: "/", does: "search.key.box", run: () => box.current?.select() }]);

  const change = (values: Values) => setParams({ k: null, ...values });
  const wishes = useRef(false);
  const ask = (values: Values) => {
    wishes.current = true;
    setParams({ ...NO_SEARCH, ...values });
  };
  useEffect(() => {
    if (wishes.current) top.current?.focus({ preventScroll: true });
    if (wishes.current) window.scrollTo({ top: 0 });
    wishes.current = false;
  }, [params]);
  const { chooser, chosen, isOver, choose, drops } = usePictures((file) => ask({ picture: holdPicture(file) }));

  const picture = pictureOf(search.picture);
  const isGone = !!search.picture && !picture;
  const hits = isGone ? [] : (figuresQuery.data?.hits ?? []);
  const source = useFigure(search.like, hits);
  const view = params.get("read") ? "" : (params.get("view") ?? "");
  const viewed = useFigure(view === PICTURE_VIEW ? "" : view, source ? [...hits, { rank: 0, score: 0, factors: {}, panel: null, figure: source }] : hits);
  const close = () => setParams({ view: null });
  const look = (view: string) => setParams({ view, read: null, page: null, span: null });
  const cropped = (crop: Crop | null) => ({ crop: crop && formatCrop(crop) });
  return (
    <div className="page wide search figures" {...drops}>
      <h1>{t("page.figures")}</h1>
      <div className="asking" ref={top} tabIndex={-1}>
        {isLikeness(search) && !isGone && (
          <Source search={search} figure={source} onView={() => look(picture ? PICTURE_VIEW : search.like)} onRemove={() => ask({})} />
        )}
        <SearchBox
          key={search.q}
          inputRef={box}
          q={search.q}
          label={t("figures.box")}
          placeholder={t(isLikeness(search) ? "figures.placeholder.instead" : "figures.placeholder")}
          onSearch={(q) => setParams({ ...NO_SEARCH, q, read: params.get("read"), page: params.get("page"), span: params.getAll("span") })}
        >
          <button type="button" className="by-picture" onClick={choose} aria-label={t("figures.choose")} title={t("figures.choose.how")}>
            <ImagePlus size={18} aria-hidden />
          </button>
        </SearchBox>
        <input ref={chooser} type="file" accept="image/*" hidden aria-label={t("figures.choose")} onChange={chosen} />
      </div>
      <div className="tools" role="group" aria-label={t("figures.kind")}>
        {KINDS.map((kind) => (
          <button key={kind} type="button" className="quiet" aria-pressed={search.only === kind} onClick={() => change({ only: kind })}>
            {t(`figures.kind.${kind || "both"}`)}
          </button>
        ))}
        <button type="button" className="quiet" aria-expanded={isMore} onClick={() => more(!isMore)}>
          <SlidersHorizontal size={15} aria-hidden />
          {t("figures.more")}
        </button>
      </div>
      {isMore && <More search={search} onChange={change} />}
      {isGone && (
        <Empty icon={ImageUp} title={t("figures.forgotten")}>
          <p role="status">{t("figures.forgotten.how")}</p>
          <button type="button" className="primary" onClick={choose}>
            {t("figures.choose.again")}
          </button>
        </Empty>
      )}
      {!isGone && <EncodeNotice note={figuresQuery.data && !figuresQuery.error && (isLikeness(search) || !hits.length) && !holesOf("said.none", figuresQuery.data.note) ? figuresQuery.data.note : ""} />}
      {figuresQuery.error && <Trouble error={figuresQuery.error} onRetry={figuresQuery.refetch} />}
      {figuresQuery.isLoading && <Loading as="tiles" what={t("search.searching")} />}
      {figuresQuery.data && !figuresQuery.error && !isGone && (
        <section className={figuresQuery.isPlaceholderData ? "stale" : ""} aria-busy={figuresQuery.isPlaceholderData} aria-label={t("search.results")}>
          {hits.length > 0 && (
            <p role="status" className="muted">
              {t(search.q || isLikeness(search) ? "figures.found" : "figures.newest", { n: hits.length })}
            </p>
          )}
          {!hits.length && !countUnencoded(figuresQuery.data.note) && (
            <Empty icon={Image} title={t("figures.none")}>
              <p>{t(isLikeness(search) ? "figures.none.like" : search.q || search.only ? "figures.none.found" : "figures.none.how")}</p>
            </Empty>
          )}
          <ol className="gallery">
            {hits.map((hit) => (
              <li key={hit.figure.id}>
                <FigureCard
                  hit={hit}
                  stems={stems}
                  isRanked={!!search.q || isLikeness(search)}
                  onView={() => look(hit.figure.id)}
                  onLike={() => ask({ like: hit.figure.id })}
                />
              </li>
            ))}
          </ol>
          {hits.length >= search.k && search.k < MOST_K && (
            <button type="button" className="further" onClick={() => setParams({ k: String(Math.min(MOST_K, search.k * 2)) })}>
              {t("figures.further")}
            </button>
          )}
          {hits.length > 0 && <p className="muted method">{[figuresQuery.data.method, ...figuresQuery.data.models].join(" · ")}</p>}
        </section>
      )}
      {viewed && (
        <LargeFigure
          key={viewed.id}
          figure={viewed}
          crop={viewed.id === search.like ? search.crop : null}
          onClose={close}
          onLike={(crop) => ask({ like: viewed.id, ...cropped(crop) })}
        />
      )}
      {view === PICTURE_VIEW && picture && (
        <LargePicture picture={picture} crop={search.crop} onClose={close} onLike={(crop) => ask({ picture: search.picture, ...cropped(crop) })} />
      )}
      {isOver && (
        <div className="dropping" aria-hidden>
          <ImageUp size={40} strokeWidth={1.4} />
          <p>{t("figures.drop")}</p>
        </div>
      )}
    </div>
  );
}
