interface Bar {
  name: string;
  value: number;
  /** The value in words. */
  said: string;
}

const ROW = 26;
const LABEL = 34;

/** Horizontal bars; the same stands in the table below, so readers of screens pass them over. */
export function Bars({ bars }: { bars: Bar[] }) {
  const most = Math.max(...bars.map((one) => one.value), Number.MIN_VALUE);
  return (
    <svg className="bars" width="100%" height={bars.length * ROW} aria-hidden>
      {bars.map((one, at) => (
        <g key={one.name} transform={`translate(0 ${at * ROW})`}>
          <svg width={`${LABEL - 1}%`} height={ROW}>
            <text x="0" y={ROW / 2} dominantBaseline="central">
              {one.name.length > 34 ? `…${one.name.slice(-33)}` : one.name || "–"}
            </text>
          </svg>
          <rect x={`${LABEL}%`} y={5} height={ROW - 10} rx={4} width={`${(one.value / most) * (100 - LABEL - 14)}%`} />
          <text x="100%" y={ROW / 2} dominantBaseline="central" textAnchor="end">
            {one.said}
          </text>
        </g>
      ))}
    </svg>
  );
}
