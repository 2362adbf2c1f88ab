/** What can be typed: the signs of a query, each with an example that can be taken. */
import { type Key, useWords } from "../../i18n";
import { Dialog } from "../../parts/Dialog";

const SIGNS: [string[], Key][] = [
  [['"grid cells"'], "search.sign.phrase"],
  [["-mouse", '-"grid cells"', "NOT mouse"], "search.sign.not"],
  [["author:hafting"], "search.sign.author"],
  [['venue:"Brain Research"'], "search.sign.venue"],
  [["keyword:maps"], "search.sign.keyword"],
  [["year:2010", "year:2005..2015", "year:2005..", "year:..2015"], "search.sign.year"],
  [["language:de"], "search.sign.language"],
  [['title:"grid cells"'], "search.sign.title"],
  [["kind:caption", "kind:table"], "search.sign.kind"],
  [["has:figure", "has:table", "has:fulltext", "has:abstract", "has:doi", "has:references", "has:retraction"], "search.sign.has"],
  [["mouse AND memory"], "search.sign.and"],
  [["place cells OR grid cells"], "search.sign.or"],
  [["(mouse OR rat) AND -author:smith"], "search.sign.group"],
];

interface Props {
  isOpen: boolean;
  onClose: () => void;
  onTake: (sign: string) => void;
}

export function Help({ isOpen, onClose, onTake }: Props) {
  const { t } = useWords();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t("search.help")}>
      <p className="muted">{t("search.help.how")}</p>
      <dl className="signs">
        {SIGNS.map(([signs, what]) => (
          <div key={what}>
            <dt>
              {signs.map((sign) => (
                <button key={sign} type="button" className="code" onClick={() => onTake(sign)}>
                  {sign}
                </button>
              ))}
            </dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
      <p className="muted">{t("search.help.rest")}</p>
    </Dialog>
  );
}
