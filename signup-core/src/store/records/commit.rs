//! The commit: checks requirements, and applies writes. All checks precede the first write, so there is no rollback.

use super::{Records, StoredEvent, StoredShift, is_confirmed};
use crate::event::Event;
use crate::id::{EventId, OrganizationId, ShiftId, SignupId};
use crate::occupancy::Occupancy;
use crate::shift::Shift;
use crate::signup::{Signup, SignupStatus};
use crate::store::{ChangeSet, Refusal, Requirement, Write};

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
                let is_taken = self.events.values().any(|found| found.event.slug == *slug);
                require(!is_taken, Refusal::SlugTaken)
            }
            Requirement::NoReceipt { key, now } => match self.receipt(key, *now) {
                Some(receipt) => Err(Refusal::Receipt(Box::new(receipt))),
                None => Ok(()),
            },
            Requirement::ShiftAtVersion { organization, shift, version } => {
                let found = self.live_shift(*organization, *shift).map(|shift| shift.version);
                require(found == Some(*version), Refusal::ShiftChanged)
            }
            Requirement::EventAtVersion { organization, event, version } => {
                let found = self.event(*organization, *event).map(|event| event.version);
                require(found == Some(*version), Refusal::EventChanged)
            }
            Requirement::EventDeleted { organization, event, version } => {
                let found = self.deleted_event(*organization, *event).map(|found| found.event.version);
                require(found == Some(*version), Refusal::EventChanged)
            }
            Requirement::QuestionUnanswered { organization, event, question } => {
                let has_answer = |signup: &Signup| {
                    signup.organization == *organization
                        && signup.event == *event
                        && signup.answers.iter().any(|answer| answer.question_id == *question)
                };
                require(!self.signups.values().any(has_answer), Refusal::QuestionAnswered)
            }
            Requirement::ActiveEventsBelow { organization, limit, now } => {
                let active = self.events_of(*organization).filter(|event| event.is_active(*now)).count();
                let count = u32::try_from(active).unwrap_or(u32::MAX);
                require(count < *limit, Refusal::ActiveEvents { count })
            }
            Requirement::ShiftsAreEmpty { organization, event, shifts } => {
                let has_signups = |shift: &ShiftId| {
                    let found = self.stored_shift(*organization, *shift).map(|(_, found)| &found.shift);
                    found.is_some_and(|shift| shift.event == *event && shift.occupancy.filled > 0)
                };
                require(!shifts.iter().any(has_signups), Refusal::ShiftHasSignups)
            }
            Requirement::ShiftHasRoom { organization, shift } => {
                let found = self.stored_shift(*organization, *shift).map(|(_, found)| found);
                let is_open = |found: &&StoredShift| found.deleted_at.is_none() && !found.is_closed;
                let has_room = found.filter(is_open).is_some_and(|found| found.shift.occupancy.has_room());
                require(has_room, Refusal::ShiftFull)
            }
            Requirement::AddressNotOnShift { organization, shift, email } => {
                match self.confirmed(*organization, *shift).find(|signup| signup.email == *email) {
                    Some(signup) => Err(Refusal::AddressOnShift(Box::new(signup.clone()))),
                    None => Ok(()),
                }
            }
            Requirement::SignupConfirmed { organization, signup, .. } => {
                let found = self.stored_signup(*organization, *signup);
                require(found.is_some_and(is_confirmed), Refusal::SignupNotConfirmed)
            }
            Requirement::SignupHasSecret { organization, signup, secret, .. } => {
                let found = self.stored_signup(*organization, *signup);
                let is_same = |found: &Signup| is_confirmed(found) && found.secret == *secret;
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
                let new = StoredEvent {
                    event: *event,
                    location_data,
                    shifts: vec![],
                    questions: vec![],
                    deleted_at: None,
                };
                self.events.insert(new.event.id, new);
            }
            Write::UpdateEvent { event, .. } => {
                let found = self.event_mut(event.organization, event.id);
                if let Some(found) = found.filter(|found| found.deleted_at.is_none()) {
                    update_event(found, *event);
                }
            }
            Write::RestoreEvent(event) => {
                if let Some(found) = self.event_mut(event.organization, event.id) {
                    update_event(found, *event);
                    found.deleted_at = None;
                }
            }
            Write::SetLocationData { organization, event, location_data } => {
                let found = self.event_mut(organization, event);
                if let Some(found) = found.filter(|found| found.deleted_at.is_none()) {
                    found.location_data = location_data;
                }
            }
            Write::DeleteEvent { organization, event, at } => {
                if let Some(found) = self.event_mut(organization, event) {
                    found.deleted_at = found.deleted_at.or(Some(at));
                }
            }
            Write::InsertShifts(new) => {
                for shift in new {
                    if let Some(found) = self.events.get_mut(&shift.event) {
                        let (day, is_virtual) = (found.event.dates.first.clone(), found.event.is_virtual);
                        let shift = Shift { day, is_virtual, ..shift };
                        found.shifts.push(StoredShift { shift, is_closed: false, deleted_at: None });
                        sort_shifts(found);
                    }
                }
            }
            Write::InsertQuestions(new) => {
                for question in new {
                    if let Some(found) = self.events.get_mut(&question.event) {
                        found.questions.push(question);
                        sort_questions(found);
                    }
                }
            }
            Write::UpdateQuestion(new) => {
                let Some(found) = self.event_mut(new.organization, new.event) else { return };
                if let Some(question) = found.questions.iter_mut().find(|question| question.id == new.id) {
                    *question = new;
                    sort_questions(found);
                }
            }
            Write::DeleteQuestion { organization, event, question } => {
                if let Some(found) = self.event_mut(organization, event) {
                    found.questions.retain(|found| found.id != question);
                }
            }
            Write::DeleteShift { organization, shift, at } => {
                self.update_shift(organization, shift, |found| {
                    found.deleted_at = found.deleted_at.or(Some(at));
                });
            }
            Write::UpdateShift(new) => self.update_shift(new.organization, new.id, |found| {
                if found.deleted_at.is_some() {
                    return;
                }
                let found = &mut found.shift;
                found.occupancy = Occupancy { capacity: new.occupancy.capacity, ..found.occupancy };
                found.title = new.title;
                found.location = new.location;
                found.hours = new.hours;
                found.version = new.version;
                found.updated_at = new.updated_at;
            }),
            Write::InsertSignup(new) => {
                self.update_shift(new.organization, new.shift, |found| found.shift.occupancy.filled += 1);
                self.signups.insert(new.id, *new);
            }
            Write::CancelSignup { organization, signup, at, by, .. } => {
                let Some(found) = self.signup_mut(organization, signup).filter(|found| is_confirmed(found))
                else {
                    return;
                };
                found.status = SignupStatus::Cancelled;
                found.cancelled_at = Some(at);
                found.cancelled_by = Some(by);
                let shift = found.shift;
                self.update_shift(organization, shift, |found| found.shift.occupancy.filled -= 1);
            }
            Write::CloseShift { organization, shift, at, by } => {
                let owned = self.signups.values_mut().filter(|signup| signup.organization == organization);
                for signup in owned.filter(|signup| signup.shift == shift && is_confirmed(signup)) {
                    signup.status = SignupStatus::Cancelled;
                    signup.cancelled_at = Some(at);
                    signup.cancelled_by = Some(by);
                }
                self.update_shift(organization, shift, |found| {
                    found.is_closed = true;
                    found.shift.occupancy.filled = 0;
                });
            }
            Write::RenewSecret { organization, signup, secret, at, .. } => {
                if let Some(found) = self.signup_mut(organization, signup) {
                    found.secret = secret;
                    found.mailed_at = at;
                }
            }
            Write::EraseSignup { organization, signup, .. } => {
                if let Some(found) = self.stored_signup(organization, signup).cloned() {
                    if is_confirmed(&found) {
                        self.update_shift(organization, found.shift, |found| {
                            found.shift.occupancy.filled -= 1;
                        });
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

    /// Returns a sign-up, also if its event is deleted.
    fn stored_signup(&self, organization: OrganizationId, id: SignupId) -> Option<&Signup> {
        self.signups.get(&id).filter(|signup| signup.organization == organization)
    }

    /// Returns a shift that is not deleted, also if its event is deleted.
    fn live_shift(&self, organization: OrganizationId, id: ShiftId) -> Option<&Shift> {
        let (_, found) = self.stored_shift(organization, id)?;
        found.deleted_at.is_none().then_some(&found.shift)
    }

    fn signup_mut(&mut self, organization: OrganizationId, id: SignupId) -> Option<&mut Signup> {
        self.signups.get_mut(&id).filter(|signup| signup.organization == organization)
    }

    fn event_mut(&mut self, organization: OrganizationId, id: EventId) -> Option<&mut StoredEvent> {
        self.events.get_mut(&id).filter(|found| found.event.organization == organization)
    }

    /// Changes a shift, deleted or not, and restores the running order of its event.
    fn update_shift(
        &mut self,
        organization: OrganizationId,
        id: ShiftId,
        change: impl FnOnce(&mut StoredShift),
    ) {
        let mut owned = self.events.values_mut().filter(|found| found.event.organization == organization);
        if let Some((found, index)) = owned.find_map(|found| {
            found.shifts.iter().position(|found| found.shift.id == id).map(|index| (found, index))
        }) {
            change(&mut found.shifts[index]);
            sort_shifts(found);
        }
    }
}

/// Replaces an event, except the fields that never change. Its shifts follow its days.
fn update_event(found: &mut StoredEvent, new: Event) {
    let Event { id, organization, slug, created_at, .. } = found.event.clone();
    found.event = Event { id, organization, slug, created_at, ..new };
    for StoredShift { shift, .. } in &mut found.shifts {
        shift.day = found.event.dates.first.clone();
        shift.is_virtual = found.event.is_virtual;
    }
    sort_shifts(found);
}

fn sort_shifts(found: &mut StoredEvent) {
    found.shifts.sort_by_cached_key(|found| found.shift.order_key());
}

fn sort_questions(found: &mut StoredEvent) {
    found.questions.sort_by_key(|question| (question.position, question.id));
}
