import Foundation
import Platform

/// Models that are deployed together. Their deployment is separate from the deployment of the app that uses the models.
///
/// On Apple's systems, collections come from Apple's servers. Here, they come from a folder or an HTTPS address that
/// ``setSource(_:forIdentifier:)`` sets. The source has a `manifest.json` with the SHA-256 digest of every file. This
/// class downloads a deployment and checks the files. It then replaces the installed deployment with the new one in one
/// step. Interrupted downloads continue. This class removes a replaced deployment when nobody uses that deployment any
/// more.
public final class MLModelCollection: NSObject, Sendable {
  /// A model of a collection.
  public final class Entry: NSObject, Sendable {
    /// The model's name.
    public let modelIdentifier: String
    /// The URL of the model, for `MLModel.load(contentsOf:)`.
    public let modelURL: URL

    init(modelIdentifier: String, modelURL: URL) {
      self.modelIdentifier = modelIdentifier
      self.modelURL = modelURL
    }

    /// Returns whether this entry and `entry` are the same model of the same deployment.
    public func isEqual(to entry: Entry) -> Bool {
      modelIdentifier == entry.modelIdentifier && modelURL == entry.modelURL
    }
  }

  /// The notification that this class posts after it has replaced a deployment. The notification's object is the
  /// collection.
  public static let didChangeNotification = NSNotification.Name(
    "MLModelCollectionDidChangeNotification")

  /// The collection's name.
  public let identifier: String
  /// The deployment's name.
  public let deploymentID: String
  /// The models by name.
  public let entries: [String: Entry]

  private init(_ manifest: CollectionManifest, in folder: URL) {
    identifier = manifest.identifier
    deploymentID = manifest.deployment
    entries = Dictionary(
      uniqueKeysWithValues: manifest.models.map { name, model in
        (
          name,
          Entry(modelIdentifier: name, modelURL: folder.appendingPathComponent(model.path))
        )
      })
  }

  // MARK: Sources

  private struct State {
    var sources: [String: URL] = [:]
    var root: URL?
    var uses: [String: [CollectionStore.Use]] = [:]
  }

  private static let state = Locked(State())

  /// Sets the source of a collection: a folder or an https address. Not in Apple's framework.
  public static func setSource(_ url: URL, forIdentifier identifier: String) {
    state.withLock { $0.sources[identifier] = url }
  }

  /// Sets the folder that holds all collections; nil for the user's data folder.
  static func setStore(_ root: URL?) { state.withLock { $0.root = root } }

  // MARK: Access

  /// Starts a use of a collection. The result has the newest deployment, or the installed deployment if the source
  /// cannot be reached. The deployment stays installed until ``endAccessing(identifier:)``.
  ///
  /// - Throws: ``MLModelError`` with the code `modelCollection` when the newest deployment cannot be installed. Also
  ///   when no deployment is installed and the source cannot be reached.
  public class func beginAccessing(identifier: String) async throws -> MLModelCollection {
    try await BackgroundWork.result { SendableBox(try begin(identifier) { _ in }) }
  }

  /// Starts a use of a collection and calls the handler on a background thread.
  ///
  /// - Returns: The progress of the download.
  @discardableResult
  public class func beginAccessing(
    identifier: String,
    completionHandler handler: @escaping (Result<MLModelCollection, any Error>) -> Void
  ) -> Progress {
    let progress = SendableBox(Progress(totalUnitCount: 1000))
    let handler = SendableBox(handler)
    BackgroundWork.start {
      let result = Result {
        try begin(identifier) { progress.value.completedUnitCount = Int64($0 * 1000) }
      }
      progress.value.completedUnitCount = 1000
      handler.value(result)
    }
    return progress.value
  }

  /// Ends a use of a collection.
  ///
  /// - Returns: Whether the collection was in use.
  @discardableResult
  public class func endAccessing(identifier: String) async throws -> Bool { end(identifier) }

  /// Ends a use of a collection and calls the handler.
  public class func endAccessing(
    identifier: String, completionHandler handler: @escaping (Result<Void, any Error>) -> Void
  ) {
    let wasUsed: Bool = end(identifier)
    handler(
      wasUsed
        ? .success(())
        : .failure(
          MLModelError(
            .modelCollection, "The model collection '\(identifier)' is not in use.")))
  }

  private static func end(_ identifier: String) -> Bool {
    state.withLock { $0.uses[identifier]?.popLast() != nil }
  }

  /// Reads the manifest of the installed deployment. Ends the use of the deployment after reading. Returns nil if no
  /// deployment is installed.
  private static func knownManifest(in store: CollectionStore) throws -> CollectionManifest? {
    guard let use = store.current() else { return nil }
    return try store.manifest(of: use)
  }

  private static func begin(
    _ identifier: String, progress: (Double) -> Void
  ) throws -> MLModelCollection {
    let (source, root) = state.withLock { ($0.sources[identifier], $0.root) }
    let store = try CollectionStore(identifier, root: root)
    let known: CollectionManifest? = try knownManifest(in: store)
    var hasChanged = false
    if let source {
      let source = CollectionSource(url: source, identifier: identifier)
      if let manifest = try source.manifest(), manifest != known {
        guard known?.deployment != manifest.deployment else {
          throw MLModelError(
            .modelCollection,
            "The model collection '\(identifier)' has other files than the installed deployment"
              + " '\(manifest.deployment)' of the same name. Give the new deployment a new name."
          )
        }
        try store.install(manifest, from: source, progress: progress)
        hasChanged = known != nil
      }
    }
    guard let use = store.current() else {
      throw MLModelError(
        .modelCollection,
        source == nil
          ? "The source of the model collection '\(identifier)' is not set. Call"
            + " MLModelCollection.setSource(_:forIdentifier:) first."
          : "The model collection '\(identifier)' cannot be reached at"
            + " \(source?.absoluteString ?? ""), and no deployment of it is installed.")
    }
    let collection = MLModelCollection(try store.manifest(of: use), in: use.folder)
    state.withLock { $0.uses[identifier, default: []].append(use) }
    if hasChanged {
      NotificationCenter.default.post(name: didChangeNotification, object: collection)
    }
    return collection
  }
}
