//! What the operator does.

use super::super::inputs::*;
use super::super::records::State;
use super::{Action, Done, Numbers, Run, organization};
use crate::*;

impl Run {
    /// Does what concerns an organization and its tokens.
    pub(super) async fn administer(
        &mut self,
        action: Action,
        numbers: &mut Numbers<'_>,
        state: &State,
    ) -> Option<Done> {
        let admin = self.service.admin();
        let owner = organization(numbers, state)?;
        let id = owner.organization.id;
        let plan = [Plan::Free, Plan::Pro][usize::from(numbers.below(2))];
        let name = name(numbers);
        let new = NewOrganization::new(name.clone()).plan(plan);
        let scopes = match numbers.below(4) {
            1 => [Scope::EventsWrite].into(),
            2 => Scopes::default(),
            _ => Scopes::all(),
        };
        let days = [365, 1, 0][usize::from(numbers.below(3))];
        let token = NewToken::new(name.clone(), scopes).expires_in_days(days);
        match action {
            Action::CreateOrganization => Done::by_operator(admin.create_organization(new).await),
            Action::CreateFirstOrganization => {
                Done::by_operator(admin.create_first_organization(new, token).await)
            }
            Action::CreateToken => {
                let created = admin.create_token(id, token).await;
                self.tokens.extend(created.iter().map(|(token, text)| (token.organization, text.clone())));
                Done::by_operator(created)
            }
            Action::RevokeToken => {
                let token = numbers.pick(owner.tokens.keys().rev())?;
                Done::by_operator(admin.revoke_token(*token).await)
            }
            Action::SetPlan => Done::by_operator(admin.set_plan(id, plan).await),
            _ => {
                let patch = organization_patch(name, numbers);
                Done::by_operator(admin.update_organization(id, patch).await)
            }
        }
    }

    /// Does what concerns events and sign-ups, as the operator.
    pub(super) async fn operate(
        &self,
        action: Action,
        numbers: &mut Numbers<'_>,
        state: &State,
    ) -> Option<Done> {
        let admin = self.service.admin();
        let owner = organization(numbers, state)?;
        let id = owner.organization.id;
        match action {
            Action::CancelSignup => {
                let signup = numbers.pick(owner.signups.keys().rev())?;
                Done::by_operator(admin.cancel_signup(id, *signup).await)
            }
            Action::Erase => Done::by_operator(admin.erase_signups(id, &email(numbers)).await),
            Action::RestoreEvent => {
                let deleted = owner.events.values().rev().filter(|event| event.deleted_at.is_some());
                // Sometimes an event that is not deleted.
                let event = match numbers.below(8) {
                    7 => numbers.pick(owner.events.values())?,
                    _ => numbers.pick(deleted)?,
                };
                Done::by_operator(admin.restore_event(event.id).await)
            }
            _ => {
                let event = *numbers.pick(owner.events.keys().rev())?;
                match action {
                    Action::CancelEventAsOperator => {
                        Done::by_operator(admin.cancel_event(event, Cancellation::new()).await)
                    }
                    Action::DeleteEventAsOperator => Done::by_operator(admin.delete_event(event).await),
                    _ => Done::by_operator(admin.add_question(event, new_question(numbers)).await),
                }
            }
        }
    }
}
