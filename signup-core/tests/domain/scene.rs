//! A service on the memory store, which checks the activity of each commit, under a fixed clock, with one organization and its
//! session.

use std::sync::Arc;

use signup_core::*;

use crate::people::code;
use crate::recorded::Recorded;

/// The time that the clock of a scene shows at its start.
pub(crate) const NOW: &str = "2027-06-05T12:00:00Z";

pub(crate) struct Scene {
    pub(crate) service: Service,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) session: Session,
}

impl Scene {
    /// Starts at [`NOW`], with an organization on the largest plan.
    pub(crate) async fn start() -> Self {
        Self::start_at(NOW).await
    }

    pub(crate) async fn start_at(now: &str) -> Self {
        let clock = Arc::new(FixedClock::at(now.parse().unwrap()));
        let service = Service::new(Wrapped(Recorded::default())).with_clock(Arc::clone(&clock));
        let session = session(&service, Plan::Pro).await;
        Self { service, clock, session }
    }

    /// Creates a published event on the day after [`NOW`] in UTC, with one shift from 20:00 to 22:00.
    pub(crate) async fn event(&self, capacity: u32) -> (Event, ScheduledShift) {
        let evening = Hours::between(time(20, 0, 0, 0), time(22, 0, 0, 0)).unwrap();
        let shift =
            NewShift::new("Packing".parse().unwrap(), Capacity::new(capacity).unwrap()).hours(evening);
        let event = NewEvent::new("Food drive".parse().unwrap(), date(2027, 6, 6), "UTC".parse().unwrap());
        let EventWithShifts { event, mut shifts, .. } =
            self.session.create_event(event.shift(shift).published()).await.unwrap();
        (event, shifts.remove(0))
    }

    /// Makes the person `name`, whose address is `name@example.org`, a member of the organization of the session. Returns the
    /// person as signed in, and the secret of the sign-in.
    pub(crate) async fn member(&self, name: &str, role: Role) -> (SignedIn, Secret) {
        join(&self.service, self.session.organization_id(), name, role).await
    }

    /// Delivers all mails that are due now, and returns them.
    pub(crate) async fn mails(&self) -> Vec<Mail> {
        let (outbox, mut mails) = (self.service.outbox(), vec![]);
        loop {
            let due = outbox.due(500).await.unwrap();
            if due.is_empty() {
                return mails;
            }
            for notice in due {
                if let Some(mail) = outbox.claim(&notice).await.unwrap() {
                    assert!(outbox.report_sent(&mail).await.unwrap());
                    mails.push(mail);
                }
            }
        }
    }

    /// Signs up `name` for a shift, and delivers the mails that are due. Returns the sign-up, and the secret of the link in the
    /// mail.
    pub(crate) async fn sign_up_by_mail(&self, shift: &Shift, name: &str) -> (Signup, Secret) {
        let signup = self.sign_up(shift, name).await.unwrap().signup;
        let mail = self.mails().await.into_iter().find(|mail| mail.recipient().key() == signup.email.key());
        (signup, mail.unwrap().secret.unwrap())
    }

    /// Signs up `name`, whose address is `name@example.org`.
    pub(crate) async fn sign_up(&self, shift: &Shift, name: &str) -> Result<Place> {
        let form = self.service.volunteers().form_of(shift.organization, [shift.id]).await?;
        place(form.sign_up(volunteer(name)).await)
    }
}

/// Returns the place of the only person on the only shift of a form.
pub(crate) fn place(signed_up: Result<SignedUp>) -> Result<Place> {
    Ok(signed_up?.into_places()?.remove(0))
}

/// Returns the sign-up of `name`, whose address is `name@example.org`.
pub(crate) fn volunteer(name: &str) -> NewSignup {
    NewSignup::new(name.parse().unwrap(), address(name))
}

/// Makes the person `name`, whose address is `name@example.org`, a member of an organization. A person who exists signs in with a
/// code.
pub(crate) async fn join(
    service: &Service,
    organization: OrganizationId,
    name: &str,
    role: Role,
) -> (SignedIn, Secret) {
    let new = NewInvitation::new(address(name), name.parse().unwrap(), role);
    let (_, link) = service.admin().invite_person(organization, new).await.unwrap().unwrap();
    let accepted = service.people().accept(&link, None, Acceptance::Member { name: None }).await.unwrap();
    if let Some(new) = accepted {
        return new;
    }
    let browser = Secret::generate();
    let mailed = code(service, &browser, name).await;
    service.people().sign_in(&browser, &mailed, None).await.unwrap()
}

/// Returns `name@example.org`.
pub(crate) fn address(name: &str) -> EmailAddress {
    format!("{name}@example.org").parse().unwrap()
}

/// Returns the session of a new organization, with every scope.
pub(crate) async fn session(service: &Service, plan: Plan) -> Session {
    let organization = NewOrganization::new("Riverside".parse().unwrap()).plan(plan);
    let organization = service.admin().create_organization(organization).await.unwrap();
    service.session_for(organization.id, Scopes::all()).await.unwrap()
}
