//! Shifts of a session's organization.

use super::{Reply, Session};
use crate::error::{Error, Result};
use crate::id::{EventId, NoticeId, ShiftId};
use crate::input::{CheckedPatch, Input};
use crate::receipt::Operation;
use crate::rules;
use crate::secret;
use crate::shift::Shift;
use crate::token::Scope;

impl Session {
    /// Lists all shifts of an event in running order. Scope: [`Scope::ShiftsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such event.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// let shifts = session.shifts(created.event.id).await?;
    /// assert_eq!(shifts[0].title.as_str(), "Packing");
    /// assert_eq!(shifts[0].occupancy.capacity.volunteers(), 8);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "slots")]
    pub async fn shifts(&self, event: EventId) -> Result<Vec<Shift>> {
        self.require(Scope::ShiftsRead)?;
        self.shared.store.shifts(self.organization_id(), event).await?.ok_or(Error::NotFound)
    }

    /// Changes the fields of a shift that `patch` names. Scope: [`Scope::ShiftsWrite`].
    ///
    /// Simultaneous patches of one shift are all applied: a patch does not overwrite a field that it does not name. A
    /// capacity below the number of confirmed sign-ups cancels none of them.
    ///
    /// If the time or the location changes, each confirmed volunteer gets a mail. There is no mail if the patch
    /// [suppresses](crate::ShiftPatch::without_mail) it, or if the shift is over by both its old and its new hours.
    ///
    /// With an idempotency key, a retry returns the first outcome, even if the input differs: see
    /// [`with_key`](Self::with_key).
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] with every fault of the input. Returns [`Error::NotFound`] if the organization has no
    /// such shift.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{Capacity, ShiftPatch, WallTime};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// let patch = ShiftPatch::new().start_time(WallTime::new(9, 30)?).capacity(Capacity::new(12)?);
    /// let shift = session.patch_shift(created.shifts[0].id, patch).await?.outcome;
    /// assert_eq!(shift.hours.start().to_string(), "09:30");
    /// assert_eq!(shift.occupancy.capacity.volunteers(), 12);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "slot")]
    pub async fn patch_shift<I: Input<CheckedPatch>>(
        &self,
        id: ShiftId,
        patch: I,
    ) -> Result<Reply<Shift>, I::Error> {
        self.require(Scope::ShiftsWrite)?;
        self.write(Operation::PatchShift(id), patch, move |patch: CheckedPatch, now| async move {
            let shift = self.shared.store.shift(self.organization_id(), id).await?;
            if shift.is_none() && !patch.faults.is_empty() {
                return Err(patch.faults.into());
            }
            let shift = shift.ok_or(Error::NotFound)?;
            let notice = NoticeId::new(secret::new_uuid(now));
            Ok(rules::patch_shift(shift, patch, notice, now)?)
        })
        .await
    }
}
