//! The operations that are measured, one call at a time.

use signup_benches::{event, per_call};
use signup_core::{EventPatch, EventQuery, IdempotencyKey, NewSignup, ShiftPatch};
use tokio::runtime::Runtime;

use crate::site::Site;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    FirstPage,
    LastPage,
    ListShifts,
    Create,
    PatchShift,
    PatchEvent,
    Publish,
    SignUp,
}

impl Operation {
    pub(crate) const ALL: [Self; 8] = [
        Self::FirstPage,
        Self::LastPage,
        Self::ListShifts,
        Self::Create,
        Self::PatchShift,
        Self::PatchEvent,
        Self::Publish,
        Self::SignUp,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::FirstPage => "first page",
            Self::LastPage => "last page",
            Self::ListShifts => "list ten shifts",
            Self::Create => "create with ten shifts and a key",
            Self::PatchShift => "patch a shift",
            Self::PatchEvent => "patch an event",
            Self::Publish => "publish or unpublish an event",
            Self::SignUp => "sign up",
        }
    }

    /// Returns the number of calls of a round, whose mean is the figure. Writes have fewer calls, because they wait for the disk.
    const fn calls(self) -> u32 {
        match self {
            Self::FirstPage | Self::LastPage | Self::ListShifts => 50,
            Self::Create | Self::PatchShift | Self::PatchEvent | Self::Publish | Self::SignUp => 25,
        }
    }

    /// Runs a round, and returns its figure in microseconds.
    pub(crate) fn round(self, runtime: &Runtime, site: &Site) -> f64 {
        runtime.block_on(per_call(self.calls(), async || self.run(site).await)).as_secs_f64() * 1e6
    }

    async fn run(self, site: &Site) {
        let Site { service, session, event, shift, .. } = site;
        match self {
            Self::FirstPage => drop(session.events(EventQuery::new()).await.unwrap()),
            Self::LastPage => {
                let query = EventQuery::new().at(site.last_page.parse().unwrap());
                drop(session.events(query).await.unwrap());
            }
            Self::ListShifts => drop(session.shifts(*event).await.unwrap()),
            Self::Create => {
                let key: IdempotencyKey = format!("key-{}", site.number()).parse().unwrap();
                drop(
                    session
                        .with_key(key)
                        .create_event(event::checked(&event::draft(1_000_000)))
                        .await
                        .unwrap(),
                );
            }
            Self::PatchShift => {
                let title = format!("Shift {}", site.number()).parse().unwrap();
                drop(session.patch_shift(*shift, ShiftPatch::new().title(title)).await.unwrap());
            }
            Self::PatchEvent => {
                let title = format!("Food drive {}", site.number()).parse().unwrap();
                drop(session.patch_event(*event, EventPatch::new().title(title)).await.unwrap());
            }
            // Each call changes the event, because the calls alternate.
            Self::Publish => site.alternate().await,
            Self::SignUp => {
                let email = format!("ada{}@example.org", site.number()).parse().unwrap();
                let form = service.volunteers().form_of(session.organization_id(), *shift).await.unwrap();
                drop(form.sign_up(NewSignup::new("Ada".parse().unwrap(), email)).await.unwrap());
            }
        }
    }
}
