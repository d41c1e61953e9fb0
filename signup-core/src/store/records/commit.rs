//! The commit: checks requirements, and applies writes. All checks precede the first write, so there is no rollback.

use super::{Records, is_confirmed};
use crate::id::{OrganizationId, ShiftId, SignupId};
use crate::occupancy::Occupancy;
use crate::shift::Shift;
use crate::signup::{Signup, SignupStatus};
use crate::store::{ChangeSet, EventInFull, Refusal, Requirement, Write};

fn require(holds: bool, refusal: Refusal) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(refusal) }
}

impl Records {
    /// Checks the requirements in their order, and applies the writes if all of them hold.
    ///
    /// # Errors
    /// Returns the refusal of the first requirement that does not hold. Nothing was written then.
    pub fn commit(&mut self, change: ChangeSet) -> Result<(), Refusal> {
        change.requires.iter().try_for_each(|requirement| self.check(requirement))?;
        change.writes.into_iter().for_each(|write| self.apply(write));
        Ok(())
    }

    fn check(&self, requirement: &Requirement) -> Result<(), Refusal> {
        match requirement {
            Requirement::NoOrganization => {
                require(self.organizations.is_empty(), Refusal::OrganizationExists)
            }
            Requirement::OrganizationSlugFree(slug) => {
                require(self.organization_by_slug(slug).is_none(), Refusal::SlugTaken)
            }
            Requirement::EventSlugFree(slug) => {
                require(self.event_by_slug(slug).is_none(), Refusal::SlugTaken)
            }
            Requirement::NoReceipt { key, now } => match self.receipt(key, *now) {
                Some(receipt) => Err(Refusal::Receipt(Box::new(receipt))),
                None => Ok(()),
            },
            Requirement::ShiftAtVersion { organization, shift, version } => {
                let found = self.shift(*organization, *shift).map(|shift| shift.version);
                require(found == Some(*version), Refusal::ShiftChanged)
            }
            Requirement::QuestionCount { organization, event, count } => {
                let found = self.questions(*organization, *event).map(|questions| questions.len());
                require(found == Some(*count as usize), Refusal::QuestionsChanged)
            }
            Requirement::ActiveEventsBelow { organization, limit, now } => {
                let active = self.events_of(*organization).filter(|event| event.is_active(*now)).count();
                let count = u32::try_from(active).unwrap_or(u32::MAX);
                require(count < *limit, Refusal::ActiveEvents { count })
            }
            Requirement::ShiftHasRoom { organization, shift } => {
                let found = self.shift(*organization, *shift);
                require(found.is_some_and(|shift| shift.occupancy.has_room()), Refusal::ShiftFull)
            }
            Requirement::AddressNotOnShift { organization, shift, email } => {
                match self.confirmed(*organization, *shift).find(|signup| signup.email == *email) {
                    Some(signup) => Err(Refusal::AddressOnShift(Box::new(signup.clone()))),
                    None => Ok(()),
                }
            }
            Requirement::SignupConfirmed { organization, signup } => {
                let found = self.signup(*organization, *signup);
                require(found.is_some_and(|found| is_confirmed(&found)), Refusal::SignupNotConfirmed)
            }
            Requirement::SignupHasSecret { organization, signup, secret } => {
                let found = self.signup(*organization, *signup);
                let is_same = |found: Signup| is_confirmed(&found) && found.secret == *secret;
                require(found.is_some_and(is_same), Refusal::SignupChanged)
            }
            Requirement::NoticeAtVersion { organization, notice, version } => {
                let found = self.notices.get(notice).filter(|notice| notice.organization == *organization);
                require(found.is_some_and(|notice| notice.version == *version), Refusal::NoticeChanged)
            }
        }
    }

    fn apply(&mut self, write: Write) {
        match write {
            Write::InsertOrganization(new) => drop(self.organizations.insert(new.id, new)),
            Write::SetPlan { organization, plan } => {
                self.organizations.entry(organization).and_modify(|found| found.plan = plan);
            }
            Write::InsertToken(new) => drop(self.tokens.insert(new.id, new)),
            Write::RevokeToken { token, at } => {
                self.tokens.entry(token).and_modify(|found| found.revoked_at = found.revoked_at.or(Some(at)));
            }
            Write::InsertEvent { event, location_data } => {
                let full = EventInFull { event: *event, location_data, shifts: vec![], questions: vec![] };
                self.events.insert(full.event.id, full);
            }
            Write::InsertShifts(new) => {
                for shift in new {
                    if let Some(found) = self.events.get_mut(&shift.event) {
                        let (day, is_virtual) = (found.event.dates.first.clone(), found.event.is_virtual);
                        found.shifts.push(Shift { day, is_virtual, ..shift });
                        found.shifts.sort_by_cached_key(Shift::order_key);
                    }
                }
            }
            Write::InsertQuestions(new) => {
                for question in new {
                    if let Some(found) = self.events.get_mut(&question.event) {
                        found.questions.push(question);
                        found.questions.sort_by_key(|question| (question.position, question.id));
                    }
                }
            }
            Write::UpdateShift(new) => self.update_shift(new.organization, new.id, |found| {
                found.occupancy = Occupancy { capacity: new.occupancy.capacity, ..found.occupancy };
                found.title = new.title;
                found.location = new.location;
                found.hours = new.hours;
                found.version = new.version;
                found.updated_at = new.updated_at;
            }),
            Write::InsertSignup(new) => {
                self.update_shift(new.organization, new.shift, |shift| shift.occupancy.filled += 1);
                self.signups.insert(new.id, *new);
            }
            Write::CancelSignup { organization, signup, at, .. } => {
                let Some(found) = self.signup_mut(organization, signup).filter(|found| is_confirmed(found))
                else {
                    return;
                };
                found.status = SignupStatus::Cancelled;
                found.cancelled_at = Some(at);
                let shift = found.shift;
                self.update_shift(organization, shift, |shift| shift.occupancy.filled -= 1);
            }
            Write::RenewSecret { organization, signup, secret, at, .. } => {
                if let Some(found) = self.signup_mut(organization, signup) {
                    found.secret = secret;
                    found.mailed_at = at;
                }
            }
            Write::EraseSignup { organization, signup, .. } => {
                if let Some(found) = self.signup(organization, signup) {
                    if is_confirmed(&found) {
                        self.update_shift(organization, found.shift, |shift| shift.occupancy.filled -= 1);
                    }
                    self.signups.remove(&signup);
                }
                self.notices.retain(|_, notice| {
                    notice.organization != organization || notice.cause.signup() != Some(signup)
                });
            }
            Write::InsertReceipt(new) => drop(self.receipts.insert(new.key.clone(), *new)),
            Write::InsertNotices(new) => self.notices.extend(new.into_iter().map(|new| (new.id, new))),
            Write::UpdateNotice(new) => {
                let found = self.notices.get_mut(&new.id);
                if let Some(found) = found.filter(|found| found.organization == new.organization) {
                    found.cause = new.cause;
                    found.version = new.version;
                    found.attempts = new.attempts;
                    found.due_at = new.due_at;
                    found.failure = new.failure;
                }
            }
            Write::DeleteNotice { organization, notice } => {
                self.notices.retain(|id, found| *id != notice || found.organization != organization);
            }
        }
    }

    fn signup_mut(&mut self, organization: OrganizationId, id: SignupId) -> Option<&mut Signup> {
        self.signups.get_mut(&id).filter(|signup| signup.organization == organization)
    }

    /// Changes a shift, and restores the running order of its event.
    fn update_shift(&mut self, organization: OrganizationId, id: ShiftId, change: impl FnOnce(&mut Shift)) {
        let mut owned = self.events.values_mut().filter(|full| full.event.organization == organization);
        if let Some((full, index)) = owned
            .find_map(|full| full.shifts.iter().position(|shift| shift.id == id).map(|index| (full, index)))
        {
            change(&mut full.shifts[index]);
            full.shifts.sort_by_cached_key(Shift::order_key);
        }
    }
}
