import Graph
import ModelFormat
import Platform

/// The context that all operations of a program share.
package final class ProgramContext: Sendable {
  /// The catalogue of the operations that this reader supports.
  package let catalog: OperationCatalog
  /// Makes the implementation of a custom layer. Throws `customLayer` if it knows no implementation.
  package let makeCustomLayer: CustomLayerFactory
  private let openBlobs: @Sendable (String) throws -> BlobFile
  private let opened = Locked<[String: BlobFile]>([:])

  /// Makes a context. The closure `blobs` opens the weight file that has a given name in the program.
  package init(
    catalog: OperationCatalog, blobs: @escaping @Sendable (String) throws -> BlobFile,
    makeCustomLayer: @escaping CustomLayerFactory
  ) {
    self.catalog = catalog
    self.makeCustomLayer = makeCustomLayer
    openBlobs = blobs
  }

  /// Returns the weight file that has this name in the program. Each file is mapped only once.
  package func blobs(named name: String) throws -> BlobFile {
    try opened.withLock { opened in
      if let known = opened[name] { return known }
      let file = try openBlobs(name)
      opened[name] = file
      return file
    }
  }
}
