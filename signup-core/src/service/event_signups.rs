//! All sign-ups of an event at once, for a table or a roster.

use std::collections::BTreeMap;

use super::Shared;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::{EventId, OrganizationId, ShiftId};
use crate::question::Question;
use crate::shift::{ScheduledShift, Shift, sort_by_running_order};
use crate::signup::Signup;
use crate::store::{Deleted, EventInFull, RecordKey, SignupQuery};

/// All sign-ups of an event, confirmed and cancelled, by shift. From
/// [`Session::event_signups`](crate::Session::event_signups).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EventSignups {
    /// The event.
    pub event: Event,
    /// The questions by position.
    pub questions: Vec<Question>,
    /// The shifts in [running order](ScheduledShift::order_key), each with its sign-ups. A shift without sign-ups is listed, too. A
    /// deleted shift is listed if it has sign-ups.
    pub shifts: Vec<ShiftSignups>,
}

/// A shift with its sign-ups. A part of [`EventSignups`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShiftSignups {
    /// The shift.
    pub shift: ScheduledShift,
    /// The sign-ups by name in the root collation of Unicode. Equal names are sorted by id, so the oldest sign-up comes first.
    pub signups: Vec<Signup>,
}

impl Shared {
    /// Reads all sign-ups of an event.
    ///
    /// The event and each portion of sign-ups have a snapshot of their own. A sign-up that exists throughout is listed exactly
    /// once.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event, or if it is deleted.
    pub(super) async fn event_signups(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<EventSignups> {
        const BATCH: u32 = 500;
        let full = self.store.event_in_full(&RecordKey::Event(organization, event)).await?;
        let EventInFull { event, mut shifts, questions, .. } = full.ok_or(Error::NotFound)?;
        let mut signups: BTreeMap<ShiftId, Vec<Signup>> = BTreeMap::new();
        let mut last = None;
        loop {
            let query = SignupQuery::new().of_event(event.id).above(last, BATCH);
            let page = self.store.signups(organization, &query).await?.ascending();
            let Some(signup) = page.last() else { break };
            last = Some(signup.id);
            for signup in page {
                signups.entry(signup.shift).or_default().push(signup);
            }
        }
        for &id in signups.keys() {
            // The shift is deleted, or was added after the event was read.
            if shifts.iter().all(|shift| shift.id != id) {
                let found = self.store.record(&RecordKey::Shift(organization, id), Deleted::Included).await?;
                let shift = found.and_then(|record| Shift::try_from(record).ok());
                shifts.extend(shift.map(|shift| ScheduledShift::of(shift, &event)));
            }
        }
        sort_by_running_order(&mut shifts);
        let with_signups = |shift: ScheduledShift| {
            let mut signups = signups.remove(&shift.id).unwrap_or_default();
            signups.sort_by_cached_key(Signup::order_key);
            ShiftSignups { shift, signups }
        };
        let shifts = shifts.into_iter().map(with_signups).collect();
        Ok(EventSignups { event, questions, shifts })
    }
}
