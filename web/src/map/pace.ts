/** How many of the points are drawn while the map moves, so that it follows the hand: as many as the machine draws in time. */

const SLOW = 40;
const QUICK = 20;
const MOST = 31;
/** Pictures in time, one after the other, before more is drawn again. */
const SURE = 40;
/** Points of the first picture: all come once it stands. */
const FIRST = 50_000;

/** Each so manyth of the points is in the first picture. */
export const first = (count: number) => Math.max(1, Math.min(MOST, Math.round(count / FIRST)));

export class Pace {
  /** Each so manyth point is drawn. */
  every = 1;
  private last = 0;
  private quick = 0;

  /** It begins to move. */
  begin(now: number) {
    this.last = now;
  }

  /** A picture is asked for at a time, in milliseconds, while the map moves. */
  frame(now: number) {
    const took = now - this.last;
    this.last = now;
    this.quick = took < QUICK ? this.quick + 1 : 0;
    if (took > SLOW) this.every = Math.min(MOST, this.every * 2);
    else if (this.quick > SURE && this.every > 1) {
      this.every--;
      this.quick = 0;
    }
  }
}
