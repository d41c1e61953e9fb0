//! The handlers of the page that turns reminders or messages off.

use signup_core::Secret;
use warp::reply::Response;

use super::PublicPages;
use crate::page::mail_choice;
use crate::page::message::{body_error, error_page, incomplete_link};
use crate::page::typed::Typed;
use crate::reply::BodyError;
use crate::request::Request;

impl PublicPages {
    /// `GET /signups/{secret}/unsubscribe`: asks whether to turn the mails off, or on again if they are off.
    pub(crate) async fn ask_to_unsubscribe(self, secret: String) -> Response {
        let Ok(secret) = secret.parse::<Secret>() else { return incomplete_link(&self.base_path) };
        match self.service.volunteers().mail_choice(&secret).await {
            Ok(choice) => mail_choice::page(&choice, false, &self.path_of(&secret)),
            Err(error) => self.error_page(&error),
        }
    }

    /// `POST /signups/{secret}/unsubscribe`: turns the mails off. With the field `subscribe`, turns them on again.
    ///
    /// Also answers a mail program (RFC 8058), which may send a form of another type, and follows no redirect.
    pub(crate) async fn unsubscribe(self, secret: String, mut request: Request) -> Response {
        let Ok(secret) = secret.parse::<Secret>() else { return incomplete_link(&self.base_path) };
        let volunteers = self.service.volunteers();
        let mut choice = match volunteers.mail_choice(&secret).await {
            Ok(choice) => choice,
            Err(error) => return self.error_page(&error),
        };
        let path = self.path_of(&secret);
        choice.is_on = match request.optional_form().await {
            Ok(body) => Typed::parse(&body).get("subscribe").is_some(),
            Err(BodyError::UnsupportedMediaType) => false,
            Err(error) => return body_error(error, &path, mail_choice::texts(&choice)),
        };
        match volunteers.choose_mails(&secret, choice.is_on).await {
            Ok(()) => mail_choice::page(&choice, true, &path),
            Err(error) => error_page(&error, &self.base_path, None, mail_choice::texts(&choice)),
        }
    }

    /// Returns the path of the page of the places behind a secret.
    fn path_of(&self, secret: &Secret) -> String {
        format!("{}/signups/{}", self.base_path, secret.reveal())
    }
}
