/** How this browser shows the page: kept in it, not in the library. */
import { LANGUAGES, type Language, useWords } from "../../i18n";
import { chooseTheme, type Theme, THEMES, useTheme } from "../../shell/theme";

export function Appearance() {
  const { t, language, choose } = useWords();
  const theme = useTheme();
  return (
    <ul>
      <li>
        <label htmlFor="settings-theme" className="name">
          <strong>{t("settings.theme")}</strong>
        </label>
        <select id="settings-theme" value={theme} onChange={(event) => chooseTheme(event.target.value as Theme)}>
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {t(name === "system" ? "settings.theme.system" : `shell.${name}`)}
            </option>
          ))}
        </select>
        <p className="muted">{t("settings.theme.what")}</p>
      </li>
      <li>
        <label htmlFor="settings-language" className="name">
          <strong>{t("shell.language")}</strong>
        </label>
        <select id="settings-language" value={language} onChange={(event) => choose(event.target.value as Language)}>
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
        <p className="muted">{t("settings.language.what")}</p>
      </li>
    </ul>
  );
}
