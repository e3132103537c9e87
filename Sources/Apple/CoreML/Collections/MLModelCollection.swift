import Foundation
import Platform

/// Models that are deployed together, apart from the app that uses them.
///
/// On Apple's systems they come from Apple's servers. Here they come from a folder or an HTTPS address of
/// the user's, which ``setSource(_:forIdentifier:)`` names and which holds a `manifest.json` with the
/// SHA-256 digest of every file. A deployment is downloaded, checked, and then takes the place of the one
/// before in one step; downloads that were interrupted go on; what is in use stays until it is not.
public final class MLModelCollection: NSObject, Sendable {
  /// A model of a collection.
  public final class Entry: NSObject, Sendable {
    /// The model's name.
    public let modelIdentifier: String
    /// Where it lies, for `MLModel.load(contentsOf:)`.
    public let modelURL: URL

    init(modelIdentifier: String, modelURL: URL) {
      self.modelIdentifier = modelIdentifier
      self.modelURL = modelURL
    }

    /// Whether both are the same model of the same deployment.
    public func isEqual(to entry: Entry) -> Bool {
      modelIdentifier == entry.modelIdentifier && modelURL == entry.modelURL
    }
  }

  /// What is posted when another deployment has come; its object is the collection.
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

  // MARK: Where collections come from

  private struct State {
    var sources: [String: URL] = [:]
    var root: URL?
    var uses: [String: [CollectionStore.Use]] = [:]
  }

  private static let state = Locked(State())

  /// Says where a collection comes from: a folder, or an https address. Not in Apple's framework.
  public static func setSource(_ url: URL, forIdentifier identifier: String) {
    state.withLock { $0.sources[identifier] = url }
  }

  /// Says where collections are kept; nil for the user's data folder.
  static func setStore(_ root: URL?) { state.withLock { $0.root = root } }

  // MARK: Using them

  /// Begins to use a collection: its newest deployment, or the one that is here where the source cannot
  /// be reached. It stays here until ``endAccessing(identifier:)``.
  ///
  /// - Throws: ``MLModelError`` of the code `modelCollection`.
  public class func beginAccessing(identifier: String) async throws -> MLModelCollection {
    try await BackgroundWork.result { HandedOver(try begin(identifier) { _ in }) }
  }

  /// Begins to use a collection and calls the handler on a thread of the framework's.
  ///
  /// - Returns: how much of a new deployment has arrived.
  @discardableResult
  public class func beginAccessing(
    identifier: String,
    completionHandler handler: @escaping (Result<MLModelCollection, any Error>) -> Void
  ) -> Progress {
    let progress = HandedOver(Progress(totalUnitCount: 1000))
    let handler = HandedOver(handler)
    BackgroundWork.start {
      let result = Result {
        try begin(identifier) { progress.value.completedUnitCount = Int64($0 * 1000) }
      }
      progress.value.completedUnitCount = 1000
      handler.value(result)
    }
    return progress.value
  }

  /// Ends one use of a collection.
  ///
  /// - Returns: Whether it was in use.
  @discardableResult
  public class func endAccessing(identifier: String) async throws -> Bool { end(identifier) }

  /// Ends one use of a collection, and calls the handler.
  public class func endAccessing(
    identifier: String, completionHandler handler: @escaping (Result<Void, any Error>) -> Void
  ) {
    let wasUsed: Bool = end(identifier)
    handler(
      wasUsed
        ? .success(())
        : .failure(
          MLModelError(
            .modelCollection, "The model collection '\(identifier)' is not being used.")))
  }

  private static func end(_ identifier: String) -> Bool {
    state.withLock { $0.uses[identifier]?.popLast() != nil }
  }

  /// The manifest of the deployment that is here, which is in use no longer than it is read.
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
            "The model collection '\(identifier)' has other files under the deployment"
              + " '\(manifest.deployment)' that is here already. Give the new deployment a new name."
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
          ? "Nobody has said where the model collection '\(identifier)' comes from. Call"
            + " MLModelCollection.setSource(_:forIdentifier:) first."
          : "The model collection '\(identifier)' cannot be reached at"
            + " \(source?.absoluteString ?? ""), and no deployment of it is here.")
    }
    let collection = MLModelCollection(try store.manifest(of: use), in: use.folder)
    state.withLock { $0.uses[identifier, default: []].append(use) }
    if hasChanged {
      NotificationCenter.default.post(name: didChangeNotification, object: collection)
    }
    return collection
  }
}
