//! What a limiter makes of one answer.

use super::{Blind, GUESS, Known, Limiter, News, Pass, Reset};
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
                    (told, unseen, sure, false)
                } else if self.is_same_bucket(reset, quota, now) {
                    (least, unseen, sure, true)
                } else {
                    (told, since, sure, false)
                }
            }
            Known::Nothing | Known::Scouting { .. } => (told, since, newly_sure, false),
        };
        let is_same_limit = quota.limit.is_some() && quota.limit == self.limit;
        if quota.limit.is_some() && !is_same_limit {
            // Another bucket binds now, and lasts as long as it will.
            self.limit = quota.limit;
            self.span = None;
        }
        // "Reset in 0" beside something that is left says nothing.
        let span = quota.reset_in.filter(|span| *span > Millis::ZERO || told == 0);
        let last = match known {
            Known::Counted { reset, blind, .. } => Some((reset, blind)),
            Known::Nothing | Known::Scouting { .. } => None,
        };
        // Its own call may have been answered as soon as it was sent, or just now.
        let earliest = |span| pass.map_or(now, |pass| pass.sent_at).after(span);
        let whole = self.span.unwrap_or(Millis::MAX);
        let (reset, blind) = match (span, last) {
            // Overtaken by an answer of the same bucket, or of the next one.
            (Some(span), Some((reset @ Reset::Told(at), blind)))
                if overtaken || (is_same_limit && earliest(span).after(whole) <= at) =>
            {
                // Of the next bucket it tells only if its reset may be as far away as that one's.
                let is_next = pass.is_some() && now.after(span) >= blind.from.after(whole);
                self.untold = self.untold.saturating_add(is_next.into());
                (reset, blind.after(is_next.into(), now))
            }
            (Some(span), _) => {
                self.span = self.span.max(Some(span));
                let from = earliest(span);
                let untold = pass.map_or(0, |pass| self.untold.saturating_sub(pass.untold_before));
                (Reset::Told(now.after(span)), Blind { from, calls: 0 }.after(untold, now))
            }
            (None, Some((reset @ Reset::Told(_), blind))) => {
                let ended = u64::from(pass.is_some());
                self.untold = self.untold.saturating_add(ended);
                (reset, blind.after(ended, now))
            }
            (None, _) => {
                let at = now.after(GUESS);
                (Reset::Guessed(at), Blind { from: at, calls: 0 })
            }
        };
        let older = pass.map_or(0, |pass| pass.in_flight_before);
        let perhaps_counted = older.saturating_sub(since).min(self.in_flight());
        self.known = Known::Counted { least, unseen, sure, reset, perhaps_counted, blind };
        // A bucket that is full again at this very moment.
        self.advance(now);
    }

    /// Whether the answer to a call that was sent before the current allowance began may tell of the
    /// last one. It does not when its bucket ends later than that one did; and what a scout is sent
    /// for, it may tell as well.
    pub(super) fn is_late(&self, pass: &Pass, news: News) -> bool {
        let ends = news.quota.and_then(|quota| quota.reset_in).map(|span| pass.sent_at.after(span));
        pass.sent_at < self.began
            && ends.is_none_or(|ends| ends <= self.began)
            && !matches!(self.known, Known::Scouting { .. })
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
        self.untold = self.untold.saturating_add(1);
        match &mut self.known {
            Known::Nothing => {}
            Known::Counted { unseen, sure, perhaps_counted, reset, blind, .. } => {
                *unseen = unseen.saturating_add(1);
                *blind = blind.after(1, now);
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
            known => *known = Known::bucket(0, 0, Reset::Told(until)),
        }
    }
}
