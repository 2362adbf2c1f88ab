interface Bar {
  name: string;
  value: number;
  /** The value in words. */
  text: string;
}

const ROW = 26;
const LABEL = 34;

/** Horizontal bars; the same stands in the table below, so readers of screens pass them over. */
export function Bars({ bars }: { bars: Bar[] }) {
  const most = Math.max(...bars.map((bar) => bar.value), Number.MIN_VALUE);
  return (
    <svg className="bars" width="100%" height={bars.length * ROW} aria-hidden>
      {bars.map((bar, at) => (
        <g key={bar.name} transform={`translate(0 ${at * ROW})`}>
          <svg width={`${LABEL - 1}%`} height={ROW}>
            <text x="0" y={ROW / 2} dominantBaseline="central">
              {bar.name.length > 34 ? `…${bar.name.slice(-33)}` : bar.name || "–"}
            </text>
          </svg>
          <rect x={`${LABEL}%`} y={5} height={ROW - 10} rx={4} width={`${(bar.value / most) * (100 - LABEL - 14)}%`} />
          <text x="100%" y={ROW / 2} dominantBaseline="central" textAnchor="end">
            {bar.text}
          </text>
        </g>
      ))}
    </svg>
  );
}
