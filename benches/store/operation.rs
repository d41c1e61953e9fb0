//! The operations that are measured, one call at a time.

use signup_benches::event;
use signup_core::{EventListInput, IdempotencyKey, ShiftPatchInput, SignUpInput};

use crate::site::Site;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    FirstPage,
    LastPage,
    ListShifts,
    Create,
    Patch,
    SignUp,
}

impl Operation {
    pub(crate) const ALL: [Self; 6] =
        [Self::FirstPage, Self::LastPage, Self::ListShifts, Self::Create, Self::Patch, Self::SignUp];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::FirstPage => "first page",
            Self::LastPage => "last page",
            Self::ListShifts => "list ten shifts",
            Self::Create => "create with ten shifts and a key",
            Self::Patch => "patch a shift",
            Self::SignUp => "sign up",
        }
    }

    /// Returns the number of calls of a round, whose mean is the figure. Writes have fewer calls, because they wait for the disk.
    pub(crate) const fn calls(self) -> u32 {
        match self {
            Self::FirstPage | Self::LastPage | Self::ListShifts => 50,
            Self::Create | Self::Patch | Self::SignUp => 25,
        }
    }

    pub(crate) async fn run(self, site: &Site) {
        let Site { service, session, event, shift, .. } = site;
        match self {
            Self::FirstPage => drop(session.events(&EventListInput::default()).await.unwrap()),
            Self::LastPage => {
                let cursor = Some(site.last_page.as_str().into());
                let input = EventListInput { cursor, ..EventListInput::default() };
                drop(session.events(&input).await.unwrap());
            }
            Self::ListShifts => drop(session.shifts(*event).await.unwrap()),
            Self::Create => {
                let key: IdempotencyKey = format!("key-{}", site.number()).parse().unwrap();
                drop(session.with_key(key).create_event(&event::draft(1_000_000)).await.unwrap());
            }
            Self::Patch => {
                let title = format!("Shift {}", site.number()).into();
                let input = ShiftPatchInput { title, ..ShiftPatchInput::default() };
                drop(session.patch_shift(*shift, &input).await.unwrap());
            }
            Self::SignUp => {
                let email = format!("ada{}@example.org", site.number()).into();
                let input = SignUpInput { name: "Ada".into(), email, ..SignUpInput::default() };
                drop(service.public().sign_up(session.organization_id(), *shift, &input).await.unwrap());
            }
        }
    }
}
