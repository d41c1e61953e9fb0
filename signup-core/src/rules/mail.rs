//! Queuing the mail to one volunteer, with a link of its own.

use jiff::Timestamp;

use crate::id::{NoticeId, SignupId};
use crate::link::Link;
use crate::notice::{Notice, NoticeCause};
use crate::secret::{self, Secret};
use crate::signup::Signup;
use crate::store::ChangeSet;

/// The id and the secret of one mail to a volunteer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MailIds {
    /// The id of the notice.
    pub(crate) notice: NoticeId,
    /// The secret of the link.
    pub(crate) secret: Secret,
}

impl MailIds {
    /// Generates the id and the secret of a mail that is queued at `now`.
    pub(crate) fn generate(now: Timestamp) -> Self {
        Self { notice: NoticeId::new(secret::new_uuid(now)), secret: Secret::generate() }
    }
}

/// Returns the link of a mail that is queued at `now` to the volunteer of `signup`.
pub(super) fn link(signup: &Signup, secret: &Secret, now: Timestamp) -> Link {
    let expires_at = Link::expiry(now, signup.told.interval.end);
    Link::new(secret.digest(), (signup.organization, signup.event), signup.email.clone(), expires_at)
}

/// Queues a mail to the volunteer of `signup`, and inserts the link that the mail carries. The caller requires that the sign-up
/// is unchanged, or inserts it.
pub(super) fn queue_mail(
    change: &mut ChangeSet,
    signup: &Signup,
    ids: MailIds,
    cause: impl FnOnce(SignupId, Secret) -> NoticeCause,
    now: Timestamp,
) {
    let MailIds { notice, secret } = ids;
    let path = (signup.organization, signup.event, signup.shift);
    change.insert(link(signup, &secret, now));
    change.insert(Notice::new(notice, path, cause(signup.id, secret), now));
}
