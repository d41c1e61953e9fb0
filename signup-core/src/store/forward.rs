//! Stores that forward calls to another store: `Arc`, `Box`, and wrappers that change some of the methods.

/// Defines the trait `Store`, and from the same list of methods its implementations for `Arc` and `Box`, the trait `Wrapper`, and
/// the store `Wrapped`. So no method is spelled a second time.
macro_rules! stores {
    (
        $(#[$about:meta])*
        pub trait Store {
            $(#[$about_counter:meta])*
            fn request_counter(&self) -> Option<&dyn RequestCounter>;
            $(
                $(#[$about_method:meta])*
                async fn $method:ident(&self $(, $argument:ident: $type:ty)* $(,)?) -> $output:ty;
            )*
        }
    ) => {
        $(#[$about])*
        #[async_trait]
        pub trait Store: fmt::Debug + Send + Sync + 'static {
            $(
                $(#[$about_method])*
                async fn $method(&self $(, $argument: $type)*) -> $output;
            )*

            $(#[$about_counter])*
            fn request_counter(&self) -> Option<&dyn RequestCounter>;
        }

        $crate::store::forward::stores!(@pointer Arc { $(fn $method($($argument: $type),*) -> $output;)* });
        $crate::store::forward::stores!(@pointer Box { $(fn $method($($argument: $type),*) -> $output;)* });

        /// Changes some methods of a store. [`Wrapped`] makes a store of a wrapper.
        ///
        /// Each method of [`Store`] has a default here, which calls the same method of [`inner`](Self::inner). A
        /// wrapper implements the methods that it changes: to inject faults, to record or to measure calls. It needs no
        /// change when `Store` gets another method.
        ///
        /// ```
        /// use std::sync::atomic::{AtomicU64, Ordering};
        ///
        /// use signup_core::{ChangeSet, CommitError, NewOrganization, Service, Store, Wrapped, Wrapper, async_trait};
        /// use signup_store_memory::MemoryStore;
        ///
        /// /// Counts the commits that succeed.
        /// #[derive(Debug, Default)]
        /// struct Counting {
        ///     inner: MemoryStore,
        ///     commits: AtomicU64,
        /// }
        ///
        /// #[async_trait]
        /// impl Wrapper for Counting {
        ///     fn inner(&self) -> &dyn Store {
        ///         &self.inner
        ///     }
        ///
        ///     async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        ///         self.inner.commit(change).await?;
        ///         self.commits.fetch_add(1, Ordering::Relaxed);
        ///         Ok(())
        ///     }
        /// }
        ///
        /// # tokio::runtime::Runtime::new()?.block_on(async {
        /// let store = std::sync::Arc::new(Wrapped(Counting::default()));
        /// let service = Service::new(std::sync::Arc::clone(&store));
        /// service.admin().create_organization(NewOrganization::new("Riverside".parse()?)).await?;
        /// assert_eq!(store.0.commits.load(Ordering::Relaxed), 1);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// # })?;
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[async_trait]
        pub trait Wrapper: fmt::Debug + Send + Sync + 'static {
            /// Returns the wrapped store.
            fn inner(&self) -> &dyn Store;

            /// Called before each method of the store, with the name of the method.
            fn calling(&self, method: &'static str) {
                _ = method;
            }

            $(
                #[doc = concat!("Replaces [`Store::", stringify!($method), "`].")]
                async fn $method(&self $(, $argument: $type)*) -> $output {
                    self.inner().$method($($argument),*).await
                }
            )*

            /// Replaces [`Store::request_counter`].
            fn request_counter(&self) -> Option<&dyn RequestCounter> {
                self.inner().request_counter()
            }
        }

        /// The store that a [`Wrapper`] describes.
        #[derive(Debug, Clone, Default)]
        pub struct Wrapped<W>(pub W);

        #[async_trait]
        impl<W: Wrapper> Store for Wrapped<W> {
            $(async fn $method(&self $(, $argument: $type)*) -> $output {
                self.0.calling(stringify!($method));
                self.0.$method($($argument),*).await
            })*

            fn request_counter(&self) -> Option<&dyn RequestCounter> {
                self.0.request_counter()
            }
        }
    };
    (@pointer $pointer:ident { $(fn $method:ident($($argument:ident: $type:ty),*) -> $output:ty;)* }) => {
        #[async_trait]
        impl<T: Store + ?Sized> Store for $pointer<T> {
            $(async fn $method(&self $(, $argument: $type)*) -> $output {
                (**self).$method($($argument),*).await
            })*

            fn request_counter(&self) -> Option<&dyn RequestCounter> {
                (**self).request_counter()
            }
        }
    };
}
pub(super) use stores;
