//! What callers do with shifts.

use std::sync::Arc;

use super::{Call, Reply, Service};
use crate::error::{Error, Result};
use crate::id::{EventId, NoticeId, ShiftId};
use crate::input::ShiftPatchInput;
use crate::receipt::{IdempotencyKey, Operation};
use crate::rules;
use crate::secret;
use crate::shift::Shift;
use crate::token::Scope;

impl Service {
    /// Lists all shifts of an event in running order. Scope: [`Scope::ShiftsRead`].
    ///
    /// # Errors
    /// [`Error::NotFound`].
    #[doc(alias = "slots")]
    pub async fn list_shifts(&self, call: &Call, event: EventId) -> Result<Vec<Arc<Shift>>> {
        self.authorize(call, Scope::ShiftsRead)?;
        self.store.shifts(call.organization, event).await?.ok_or(Error::NotFound)
    }

    /// Changes a shift. Two patches at the same moment never lose each other's fields. Scope: [`Scope::ShiftsWrite`].
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault of the input; [`Error::NotFound`].
    #[doc(alias = "slot")]
    pub async fn patch_shift(
        &self,
        call: &Call,
        key: Option<&IdempotencyKey>,
        id: ShiftId,
        input: &ShiftPatchInput<'_>,
    ) -> Result<Reply<Shift>> {
        self.authorize(call, Scope::ShiftsWrite)?;
        self.write(call, Operation::PatchShift(id), key, move |now| async move {
            let checked = input.check(None);
            let shift = self.store.shift(call.organization, id).await?;
            let (patch, shift) = match (checked, shift) {
                (Ok(patch), Some(shift)) => (patch, shift),
                (Ok(_), None) => return Err(Error::NotFound),
                // With the present hours known, more may be wrong: all of it is said at once.
                (Err(_), Some(shift)) => (input.check(Some(shift.hours))?, shift),
                (Err(faults), None) => return Err(faults.into()),
            };
            let notice = NoticeId::new(secret::new_uuid(now));
            Ok(rules::patch_shift(shift, patch, notice, now)?)
        })
        .await
    }
}
