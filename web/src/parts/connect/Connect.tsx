/** What is in the dialog: servers of this machine, providers with a key, models to fetch; then the test of the one chosen. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { api, body, Problem } from "../../api/client";
import { type Key, number, useWords } from "../../i18n";
import { confirm } from "../confirm";
import { JobState } from "../JobLine";
import { Loading } from "../Loading";
import { useModelTitle, useModelTitles } from "../modelTitles";
import { describeError, Remedy } from "../Remedy";
import { toast } from "../toast";
import "./connect.css";
import { type ModelConnection, type Connection, type Offer, type RecommendedModel, type Role, ROLES, useModelConnection, type Wish } from "./modelConnection";
import { Outcome } from "./Outcome";

/** In the list of providers: any server that speaks OpenAI's protocol. */
const ADDRESS = "address";
const HUB = "hf:";

/** The address of a server as it is asked: with a scheme, which nobody types, and without the slash at its end. */
const addressOf = (typed: string) => {
  const address = typed.trim().replace(/\/+$/, "");
  return !address || /^[a-z][a-z+.-]*:\/\//i.test(address) ? address : `http://${address}`;
};

export default function Connect({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const finding = useModelConnection();
  const testing = useModelConnection();
  const [role, setRole] = useState<Role | "">("");
  const looked = useRef(false);
  const look = finding.start;
  useEffect(() => {
    if (looked.current) return;
    looked.current = true;
    look({ name: "" });
  }, [look]);
  const queries = useQueryClient();
  const [tried, setTried] = useState<Wish>({ name: "" });
  const title = useModelTitle(tried.name);
  const use = (wish: Wish) => {
    const request = { ...wish, ...(role ? { role } : {}) };
    setTried(request);
    testing.start(request);
  };
  const isSetUntested = Boolean(tried.untested && testing.connection);
  useEffect(() => {
    if (!isSetUntested) return;
    void queries.invalidateQueries({ queryKey: ["settings"] });
    toast(t("connect.anyway.set", { model: title }));
    onClose();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when it has been set
  }, [isSetUntested]);
  if (testing.connection?.tested) return <Outcome tested={testing.connection.tested} role={role} keyIn={testing.connection.key} onClose={onClose} />;
  const offers = finding.connection?.offers ?? [];
  return (
    <div className="connect">
      <p className="muted">{t("connect.what")}</p>
      {finding.connection && <InUse roles={finding.connection.roles} onGone={() => look({ name: "" })} />}
      {testing.isBusy && <JobState followed={testing.followed} name={t("connect.testing")} onCancel={testing.end} />}
      {testing.error && !testing.isBusy && <Failure error={testing.error} model={tried.name} onAnyway={() => use({ ...tried, untested: true })} />}
      <fieldset disabled={testing.isBusy} className="bare">
        <Part title={t("connect.here")}>
          {finding.isBusy && <Loading as="line" />}
          {finding.error && <Failure error={finding.error} />}
          <Servers offers={offers.filter((offer) => offer.kind === "server")} isKnown={finding.connection !== null} onUse={use} onAgain={() => look({ name: "" })} />
        </Part>
        <Part title={t("connect.provider")}>
          <Provider offers={offers.filter((offer) => offer.kind === "provider")} onUse={use} />
        </Part>
        <Part title={t("connect.fetch")}>
          <RecommendedModels models={finding.connection?.recommended ?? []} onUse={use} />
          <Fetch onUse={use} />
        </Part>
        <details>
          <summary>{t("connect.role")}</summary>
          <label>
            {t("connect.role.for")}
            <select value={role} onChange={(event) => setRole(event.target.value as Role | "")}>
              <option value="">{t("connect.role.all")}</option>
              {ROLES.map((choice) => (
                <option key={choice} value={choice}>
                  {t(`connect.role.${choice}` as Key)}
                </option>
              ))}
            </select>
          </label>
        </details>
      </fieldset>
    </div>
  );
}

/** The models that are set, and a button to use none. */
function InUse({ roles, onGone }: { roles: Connection["roles"]; onGone: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const gone = useMutation({
    mutationFn: () => body(api.POST("/api/v1/models/disconnect", { body: {} })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["settings"] });
      onGone();
    },
  });
  const names = [...new Set(Object.values(roles ?? {}))].filter(Boolean);
  const title = useModelTitles(names);
  if (!names.length) return null;
  const wish = { title: t("connect.disconnect.title"), text: t("connect.disconnect.text"), action: t("connect.disconnect") };
  return (
    <>
      <p className="in-use">
        {t("connect.in_use", { names: names.map(title).join(", ") })}{" "}
        <button type="button" className="link" disabled={gone.isPending} onClick={async () => (await confirm(wish)) && gone.mutate()}>
          {t("connect.disconnect")}
        </button>
      </p>
      {gone.error && <Failure error={gone.error} />}
    </>
  );
}

/** What failed; it is mended here, and no link leads away. `model`: that was tested. */
function Failure({ error, model = "", onAnyway }: { error: Error; model?: string; onAnyway?: () => void }) {
  const { t } = useWords();
  const { what, hint } = describeError(error, t);
  const isUseless = model && error instanceof Problem && error.kind === "ModelAnswerError";
  const title = useModelTitle(isUseless ? model : "");
  const message = (
    <>
      {what} <Remedy text={hint} />
    </>
  );
  if (!isUseless)
    return (
      <p className="failure" role="alert">
        {message}
      </p>
    );
  return (
    <div className="failure" role="alert">
      <p>{t("connect.useless", { model: title })}</p>
      <details>
        <summary>{t("ask.useless.details")}</summary>
        <p>{message}</p>
      </details>
      <button type="button" onClick={onAnyway}>
        {t("connect.anyway")}
      </button>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

interface ServersProps {
  offers: readonly Offer[];
  isKnown: boolean;
  onUse: (wish: Wish) => void;
  onAgain: () => void;
}

function Servers({ offers, isKnown, onUse, onAgain }: ServersProps) {
  const { t } = useWords();
  if (isKnown && !offers.length)
    return (
      <p className="muted">
        {t("connect.here.none")}{" "}
        <button type="button" className="link" onClick={onAgain}>
          {t("connect.here.again")}
        </button>
      </p>
    );
  return offers.map((offer) => <Models key={offer.name} offer={offer} onUse={(name) => onUse({ name })} />);
}

/** The models of a place, one of which is taken. */
function Models({ offer, onUse }: { offer: Offer; onUse: (name: string) => void }) {
  const { t } = useWords();
  const [name, choose] = useState(offer.models[0]?.name ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name) onUse(name);
  };
  if (!offer.models.length) return <p className="muted">{t("connect.no_models", { place: offer.title })}</p>;
  const described = (model: Offer["models"][number]) =>
    [model.label, model.megabytes ? `${number(model.megabytes)} MB` : "", model.licence, model.is_here ? t("connect.fetched") : ""].filter(Boolean).join(" · ");
  return (
    <form className="row" onSubmit={submit}>
      <label>
        {t("connect.model", { place: offer.title })}
        <select value={name} onChange={(event) => choose(event.target.value)}>
          {offer.models.map((model) => (
            <option key={model.name} value={model.name}>
              {described(model)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="primary">
        {t(offer.kind === "hub" ? "connect.fetch.use" : "connect.use")}
      </button>
    </form>
  );
}

/** What a look for models failed by, or what it found. */
function ModelListing({ listing, onUse }: { listing: ModelConnection; onUse: (name: string) => void }) {
  if (listing.isBusy) return <Loading />;
  if (listing.error) return <Failure error={listing.error} />;
  return listing.connection?.offers.map((offer) => <Models key={offer.name} offer={offer} onUse={onUse} />);
}

function Provider({ offers, onUse }: { offers: readonly Offer[]; onUse: (wish: Wish) => void }) {
  const { t } = useWords();
  const [chosen, choose] = useState("");
  const [url, setUrl] = useState("");
  const [key, setKey] = useState("");
  const listing = useModelConnection();
  const hint = useId();
  const provider = offers.find((offer) => offer.name === chosen);
  const isAddress = chosen === ADDRESS;
  const place = isAddress ? addressOf(url) : chosen;
  const isReady = Boolean(place) && (isAddress || provider?.has_key || Boolean(key.trim()));
  const credentials = key.trim() ? { key: key.trim() } : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    listing.start({ name: place, ...credentials });
    if (!isAddress) setKey(""); // the server keeps it; of an address it is sent again with the model
  };
  const isListed = listing.connection?.offers[0]?.name === place;
  return (
    <>
      <form className="row" onSubmit={submit}>
        <label>
          {t("connect.provider.which")}
          <select value={chosen} onChange={(event) => (choose(event.target.value), setKey(""), listing.clear())}>
            <option value="">{t("connect.choose")}</option>
            {offers.map((offer) => (
              <option key={offer.name} value={offer.name}>
                {offer.title}
                {offer.has_key ? ` (${t("connect.has_key")})` : ""}
              </option>
            ))}
            <option value={ADDRESS}>{t("connect.address")}</option>
          </select>
        </label>
        {isAddress && (
          <label>
            {t("connect.address.url")}
            <input inputMode="url" value={url} placeholder="http://HOST:PORT/v1" onChange={(event) => (setUrl(event.target.value), listing.clear())} />
          </label>
        )}
        {chosen && (
          <label>
            {t(isAddress ? "connect.key.maybe" : "connect.key")}
            <input
              type="password"
              autoComplete="off"
              value={key}
              aria-describedby={hint}
              placeholder={provider?.has_key ? t("connect.key.kept") : ""}
              onChange={(event) => setKey(event.target.value)}
            />
          </label>
        )}
        <button type="submit" disabled={!isReady || listing.isBusy}>
          {t("connect.list")}
        </button>
      </form>
      {chosen && (
        <p className="muted" id={hint}>
          {t("connect.key.where")}
        </p>
      )}
      {(isListed || listing.isBusy || listing.error) && chosen && <ModelListing listing={listing} onUse={(name) => onUse({ name, ...(isAddress ? credentials : {}) })} />}
    </>
  );
}

/** Small models that are known to run on a usual computer, each a click away. */
function RecommendedModels({ models, onUse }: { models: readonly RecommendedModel[]; onUse: (wish: Wish) => void }) {
  const { t } = useWords();
  if (!models.length) return null;
  return (
    <>
      <p className="muted">{t("connect.recommended")}</p>
      <ul className="recommended">
        {models.map((model) => (
          <li key={model.name}>
            <div>
              <strong>{model.title}</strong> {t("connect.recommended.memory", { gb: model.memory })}
              <p className="muted">
                {t("connect.recommended.about", { gb: number(model.megabytes / 1000, { maximumFractionDigits: 1 }), licence: model.licence, n: model.minutes })}
              </p>
            </div>
            <button type="button" onClick={() => onUse({ name: model.name })} aria-label={t(model.is_here ? "connect.recommended.use.one" : "connect.recommended.get.one", { name: model.title })}>
              {!model.is_here && <Download size={16} aria-hidden />}
              {t(model.is_here ? "connect.use" : "connect.recommended.get")}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Fetch({ onUse }: { onUse: (wish: Wish) => void }) {
  const { t } = useWords();
  const [name, set] = useState("");
  const listing = useModelConnection();
  const hint = useId();
  const typed = name.trim().replace(/^https:\/\/huggingface\.co\//, HUB);
  const full = typed && !typed.startsWith(HUB) ? HUB + typed : typed;
  const repository = full.split("/").slice(0, 2).join("/");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (repository) listing.start({ name: repository });
  };
  return (
    <>
      <p className="muted" id={hint}>
        {t("connect.fetch.what")}
      </p>
      <form className="row" onSubmit={submit}>
        <label>
          {t("connect.fetch.name")}
          <input value={name} aria-describedby={hint} placeholder="hf:OWNER/REPO" onChange={(event) => set(event.target.value)} />
        </label>
        <button type="submit" disabled={!repository || listing.isBusy}>
          {t("connect.list")}
        </button>
      </form>
      <ModelListing listing={listing} onUse={(chosen) => onUse({ name: chosen })} />
    </>
  );
}
