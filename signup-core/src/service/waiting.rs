//! Waiting lists: those who wait for a shift, and the job that promotes them after a move of their event.

use jiff::Timestamp;

use super::Shared;
use crate::activity::Actor;
use crate::error::Result;
use crate::id::{EventId, OrganizationId, ShiftId};
use crate::notice::Notice;
use crate::rules::{self, Decision, WaitingList};
use crate::shift::{ScheduledShift, Shift};
use crate::signup::SignupStatus;
use crate::store::{RecordKey, SignupInFull, SignupQuery};

/// The maximum number of shifts of one portion of the job. Bounds the time that other notices wait.
const PORTION: usize = 20;

impl Shared {
    /// Reads those who wait for a shift, and the recipients of the first `places` of them.
    pub(super) async fn waiting_list(&self, shift: &ScheduledShift, places: u32) -> Result<WaitingList> {
        if shift.occupancy.waitlisted == 0 {
            return Ok(WaitingList::default());
        }
        let mut list = self.line_of(shift.organization, shift.id).await?;
        let mut recipients = vec![];
        for signup in list.first(places) {
            let recipient = self.recipient(shift.organization, shift.event, &signup.email).await?;
            recipients.extend(recipient.map(|recipient| (signup.clone(), recipient)));
        }
        for (signup, recipient) in recipients {
            list.add_recipient(&signup, recipient);
        }
        Ok(list)
    }

    /// Reads those who wait for the shift of a sign-up that is about to free its place, if the place goes to them.
    pub(super) async fn waiting_behind(&self, found: &SignupInFull, now: Timestamp) -> Result<WaitingList> {
        let SignupInFull { event, shift, signup, .. } = found;
        if !signup.is_confirmed() || !shift.promotes(event, now) {
            return Ok(WaitingList::default());
        }
        self.waiting_list(shift, shift.occupancy.remaining().saturating_add(1)).await
    }

    /// Adds the place in the line to each of these sign-ups that waits.
    pub(super) async fn add_places_in_line(&self, found: &mut [SignupInFull]) -> Result<()> {
        for found in found.iter_mut().filter(|found| found.signup.is_waitlisted()) {
            let line = self.line_of(found.organization.id, found.shift.id).await?;
            found.place_in_line = line.place_of(&found.signup);
        }
        Ok(())
    }

    async fn line_of(&self, organization: OrganizationId, shift: ShiftId) -> Result<WaitingList> {
        let of_shift = SignupQuery::new().of_shift(shift).status(SignupStatus::Waitlisted);
        let query = of_shift.above(None, Shift::MAX_WAITLISTED);
        Ok(WaitingList::new(self.store.signups(organization, &query).await?.items))
    }

    /// Works through one portion of the job that promotes those who wait for shifts of a moved event. The job needs no position: a
    /// shift that has given its places owes none.
    pub(super) async fn promote_waiting(&self, job: &Notice) -> Result<()> {
        let (now, owner, event) = (self.now(), job.organization, job.event.unwrap_or(EventId::NONE));
        let full = self.store.event_in_full(&RecordKey::Event(owner, event)).await?;
        let owing = full.map_or_else(Vec::new, |full| {
            let owing = full.shifts.iter().filter(|shift| rules::owes_places(&full.event, shift, now));
            owing.map(|shift| shift.id).collect()
        });
        // A shift that fails holds up no other one.
        let mut result = Ok(());
        for shift in owing.iter().take(PORTION) {
            result = result.and(self.promote_owed(owner, *shift).await);
        }
        result?;
        let change = if owing.len() > PORTION {
            rules::replace_notice(job, job.clone().requeued(now))
        } else {
            rules::delete_notice(job)
        };
        self.commit_queued(change).await?;
        Ok(())
    }

    async fn promote_owed(&self, organization: OrganizationId, shift: ShiftId) -> Result<()> {
        self.commit_unrefused(&Actor::System, move |now| async move {
            let found = self.shift_with_event(organization, shift).await?;
            let Some((shift, event)) = found else { return Ok(Decision::unchanged(())) };
            let waiting = self.waiting_list(&shift, shift.occupancy.remaining()).await?;
            Ok(rules::promote_owed(&event, &shift, &waiting, now))
        })
        .await
    }
}
