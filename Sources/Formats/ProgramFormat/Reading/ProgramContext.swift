import Graph
import ModelFormat
import Platform

/// What is the same for all operations of a program.
package final class ProgramContext: Sendable {
  /// The operations that are known.
  package let catalog: OperationCatalog
  /// Makes the implementation of a custom layer; throws `customLayer` when there is none.
  package let makeCustomLayer: CustomLayerFactory
  private let openBlobs: @Sendable (String) throws -> BlobFile
  private let opened = Locked<[String: BlobFile]>([:])

  /// A context over weight files that are opened by name.
  package init(
    catalog: OperationCatalog, blobs: @escaping @Sendable (String) throws -> BlobFile,
    makeCustomLayer: @escaping CustomLayerFactory
  ) {
    self.catalog = catalog
    self.makeCustomLayer = makeCustomLayer
    openBlobs = blobs
  }

  /// A weight file by the name that the program gives it; mapped once.
  package func blobs(named name: String) throws -> BlobFile {
    try opened.withLock { opened in
      if let known = opened[name] { return known }
      let file = try openBlobs(name)
      opened[name] = file
      return file
    }
  }
}
