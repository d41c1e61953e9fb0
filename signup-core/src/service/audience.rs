//! Reading the audience of a message.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::Shared;
use crate::error::Result;
use crate::id::{OrganizationId, ShiftId};
use crate::message::{Audience, Message};
use crate::opt_out::Subscription;
use crate::secret::Digest;
use crate::shift::ScheduledShift;
use crate::signup::{Signup, SignupStatus};
use crate::store::{Deleted, RecordKey, SignupQuery};
use crate::text::EmailAddress;

impl Shared {
    /// Reads the addresses that a message is for at `now`: for the digest of each address, its first sign-up that belongs to the
    /// audience. Addresses that have turned messages off are part of the result.
    ///
    /// Reads all sign-ups with the status of the audience, in batches. `shifts` are those of the event.
    pub(super) async fn audience(
        &self,
        message: &Message,
        shifts: &[ScheduledShift],
        now: Timestamp,
    ) -> Result<BTreeMap<Digest, Signup>> {
        const BATCH: u32 = 500;
        let status = match message.audience {
            Audience::All | Audience::Attended => SignupStatus::Confirmed,
            Audience::Waiting => SignupStatus::Waitlisted,
        };
        let query = SignupQuery::new().status(status);
        let query = match message.shift {
            Some(shift) => query.of_shift(shift),
            None => query.of_event(message.event),
        };
        let shifts: BTreeMap<ShiftId, _> = shifts.iter().map(|shift| (shift.id, shift)).collect();
        let (mut audience, mut last) = (BTreeMap::new(), None);
        loop {
            let page = query.clone().above(last, BATCH);
            let page = self.store.signups(message.organization, &page).await?.ascending();
            let Some(signup) = page.last() else { return Ok(audience) };
            last = Some(signup.id);
            for signup in page {
                if shifts.get(&signup.shift).is_some_and(|shift| message.is_for(&signup, shift, now)) {
                    audience.entry(Digest::of(signup.email.key())).or_insert(signup);
                }
            }
        }
    }

    /// Returns whether an address has turned the mails of a subscription off.
    pub(super) async fn has_turned_off(
        &self,
        owner: OrganizationId,
        email: &EmailAddress,
        subscription: Subscription,
    ) -> Result<bool> {
        let key = RecordKey::opt_out(owner, email, subscription);
        Ok(self.store.record(&key, Deleted::Excluded).await?.is_some())
    }
}
