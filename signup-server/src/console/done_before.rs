//! What a form has done when it was sent before, for the page that says so.

use signup_core::{Error, Reply};

/// What a form has done before, with a link to the record.
#[derive(Debug, Clone)]
pub(crate) struct DoneBefore {
    /// What was done, as a sentence.
    pub(crate) sentence: String,
    pub(crate) link: LinkTo,
}

/// The words of a link, and the path of the page that changes or shows a record.
pub(crate) type LinkTo = (&'static str, String);

impl DoneBefore {
    /// Returns what an earlier form with the same key has done, if the person does not expect it: that form had other values, or
    /// the record that it made is gone. `None` after a first form, and after a repeated one whose record is there.
    ///
    /// `reply` is that of the write with the key, and `made` reads the record. `gone` is added to the sentence about a record that
    /// is gone, with another link.
    ///
    /// # Errors
    /// Returns the error of `made`, apart from [`Error::NotFound`].
    pub(crate) async fn of<W, T>(
        reply: &Reply<W>,
        made: impl Future<Output = Result<T, Error>>,
        (sentence, link): (String, LinkTo),
        gone: (&'static str, LinkTo),
    ) -> Result<Option<Self>, Error> {
        if !reply.is_replay {
            return Ok(None);
        }
        match made.await {
            Ok(_) if reply.is_of_other_input => Ok(Some(Self { sentence, link })),
            Ok(_) => Ok(None),
            Err(Error::NotFound) => {
                Ok(Some(Self { sentence: format!("{sentence} {}", gone.0), link: gone.1 }))
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns an error unless a record is there.
pub(crate) fn there(is_there: bool) -> Result<(), Error> {
    if is_there { Ok(()) } else { Err(Error::NotFound) }
}
