/** TeX in whatever a page shows. */
import { render, screen } from "@testing-library/react";
import { Link } from "wouter";
import { expect, test } from "vitest";

const name = "flux of $10^{-3}$ \\alpha";

test("formulas are readable in every text of the page, whoever wrote the page", () => {
  // Else each new page would show the commands of TeX until somebody sees it.
  render(
    <>
      <p title={name}>
        {name} and {`${name}s`}
      </p>
      <Link href="/map">{name}</Link>
      <select defaultValue={name}>
        <option value={name}>{name}</option>
        <option>{name}</option>
      </select>
      <code>{name}</code>
    </>,
  );
  const readable = "flux of 10⁻³ α";
  expect(screen.getByTitle(readable).textContent).toBe("flux of 10⁻³ α and flux of 10⁻³ \\alphas");
  expect(screen.getByRole("link").textContent).toBe(readable);
  expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual([readable, name]);
  expect(screen.getByRole("combobox")).toHaveProperty("value", name); // what is sent to the server stays as it is
  expect(screen.getByText(name, { selector: "code" })).toBeTruthy();
});
