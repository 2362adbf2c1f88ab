/** See `parts/kept`: other pages keep something about papers, too. */
export * from "../../parts/kept";
