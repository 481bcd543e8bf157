//! What a limiter makes of one answer.

use super::{GUESS, Known, Limiter, News, Pass, Reset};
use crate::{
    hint::Quota,
    time::{Instant, Millis},
};

impl Limiter {
    /// The answer tells what is left, but perhaps not of every call.
    ///
    /// The server counted this call, and all that had ended before it was sent. Those that ended
    /// since then may have come after it: `sure`, less those, holds whatever happened. As long as
    /// the bucket was not refilled, the least that was told holds as well, less the calls that told
    /// nothing. The larger of the two is what is left for the calls on their way and those to come.
    pub(super) fn learn(&mut self, pass: Option<&Pass>, quota: Quota, now: Instant) {
        let before = pass.map_or(self.settled, |pass| pass.settled_before.saturating_add(1));
        let since = self.settled.saturating_sub(before);
        let told = quota.remaining;
        let newly_sure = told.saturating_sub(since);
        let known = self.known;
        let (least, unseen, sure, overtaken) = match known {
            Known::Counted { least, unseen, sure, reset, .. } => {
                let sure = sure.saturating_sub(1).max(newly_sure);
                if told <= least {
                    (told, unseen, sure, None)
                } else if self.is_same_bucket(reset, quota, now) {
                    (least, unseen, sure, Some(reset))
                } else {
                    (told, since, sure, None)
                }
            }
            Known::Nothing | Known::Scouting { .. } => (told, since, newly_sure, None),
        };
        if quota.limit.is_some() && quota.limit != self.limit {
            // Another bucket binds now, and lasts as long as it will.
            self.limit = quota.limit;
            self.span = None;
        }
        // "Reset in 0" beside something that is left says nothing.
        let span = quota.reset_in.filter(|span| *span > Millis::ZERO || told == 0);
        let last = if let Known::Counted { reset, .. } = known { Some(reset) } else { None };
        let reset = match (span, overtaken, last) {
            (Some(_), Some(known), _) => known,
            (Some(span), None, _) => {
                self.span = self.span.max(Some(span));
                Reset::Told(now.after(span))
            }
            (None, _, Some(Reset::Told(at))) => Reset::Told(at),
            (None, ..) => Reset::Guessed(now.after(GUESS)),
        };
        let older = pass.map_or(0, |pass| pass.in_flight_before);
        let perhaps_counted = older.saturating_sub(since).min(self.in_flight());
        self.known = Known::Counted { least, unseen, sure, reset, perhaps_counted };
        // A bucket that is full again at this very moment.
        self.advance(now);
    }

    /// Whether an answer that tells more than the last one was only overtaken by it: then both
    /// name about the same time of the reset.
    fn is_same_bucket(&self, reset: Reset, quota: Quota, now: Instant) -> bool {
        let (Reset::Told(known), Some(reset_in), Some(span)) = (reset, quota.reset_in, self.span)
        else {
            return false;
        };
        now.after(reset_in).since(known).get() < span.get() / 2
    }

    /// The attempt ended without telling what is left: perhaps it was counted.
    pub(super) fn count_unseen(&mut self, pass: Option<&Pass>, news: News, now: Instant) {
        let Some(pass) = pass else { return };
        match &mut self.known {
            Known::Nothing => {}
            Known::Counted { unseen, sure, perhaps_counted, reset, .. } => {
                *unseen = unseen.saturating_add(1);
                *sure = sure.saturating_sub(1);
                *perhaps_counted = perhaps_counted.saturating_sub(1);
                if let Reset::Guessed(at) = reset {
                    *at = (*at).max(now.after(GUESS));
                }
            }
            Known::Scouting { scout } => {
                let is_it = scout.is_some_and(|scout| scout.number == pass.settled_before);
                if !(pass.scout && is_it) {
                    return;
                }
                *scout = None;
                // An answer without numbers, and no refusal: there is no limit to be seen.
                if news.answered && news.wait.is_none() {
                    self.known = Known::Nothing;
                }
            }
        }
    }

    /// The server refused until then.
    pub(super) fn refused(&mut self, told_quota: bool, until: Instant) {
        match &mut self.known {
            // Its own numbers say what is left after the wait.
            Known::Counted { .. } if told_quota => {}
            // Another limit than the one that is counted: that one lasts longer.
            Known::Counted { least: 1.., reset: Reset::Told(at), .. } if *at > until => {}
            known => *known = Known::full(0, Reset::Told(until)),
        }
    }
}
