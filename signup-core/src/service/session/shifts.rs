//! Shifts of a session's organization.

use std::sync::Arc;

use super::{Reply, Session};
use crate::error::{Error, Result};
use crate::id::{EventId, NoticeId, ShiftId};
use crate::input::{Input, Partial, ShiftPatch};
use crate::receipt::Operation;
use crate::rules;
use crate::secret;
use crate::shift::Shift;
use crate::token::Scope;

impl Session {
    /// Lists all shifts of an event in running order. Scope: [`Scope::ShiftsRead`].
    ///
    /// # Errors
    /// [`Error::NotFound`].
    #[doc(alias = "slots")]
    pub async fn shifts(&self, event: EventId) -> Result<Vec<Arc<Shift>>> {
        self.require(Scope::ShiftsRead)?;
        self.shared.store.shifts(self.organization_id(), event).await?.ok_or(Error::NotFound)
    }

    /// Changes a shift. Two patches at the same moment never lose each other's fields. Scope: [`Scope::ShiftsWrite`].
    ///
    /// If the time or the location changes and the shift is not over, the volunteers are told by mail.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault of the input; [`Error::NotFound`].
    #[doc(alias = "slot")]
    pub async fn patch_shift<I: Input<Partial<ShiftPatch>>>(
        &self,
        id: ShiftId,
        patch: I,
    ) -> Result<Reply<Shift>, I::Error> {
        self.require(Scope::ShiftsWrite)?;
        self.write(Operation::PatchShift(id), patch, move |patch: Partial<ShiftPatch>, now| async move {
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
