import Foundation
import Graph
import ModelFormat
import Platform

/// The context that all nodes of a model share.
package final class ModelContext: Sendable {
  /// The catalogue of the operators that this reader supports.
  package let catalog: NodeCatalog
  /// The functions that the model defines, by domain, name and overload.
  package let functions: [String: ONNX.FunctionProto]
  /// The folder that contains external data files. Nil for models in memory.
  private let folder: URL?
  private let opened = Locked<[String: ByteValues]>([:])

  /// Makes the context of a model.
  package init(_ model: ONNX.ModelProto, folder: URL?, catalog: NodeCatalog = .standard) {
    self.catalog = catalog
    self.folder = folder
    functions = Dictionary(
      model.functions.map { (Self.key($0.domain, $0.name, $0.overload), $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the function of the model that a node calls. Nil if the node calls no function.
  package func function(of node: ONNX.NodeProto) -> ONNX.FunctionProto? {
    functions[Self.key(node.domain, node.opType, node.overload)]
  }

  private static func key(_ domain: String, _ name: String, _ overload: String) -> String {
    "\(domain == "ai.onnx" ? "" : domain)::\(name)::\(overload)"
  }

  /// Returns the bytes of an external data file. `location` is the path that a tensor states.
  ///
  /// - Throws: If the location is outside the model's folder, by its path or through symbolic links.
  package func file(at location: String) throws -> ByteValues {
    try opened.withLock { opened in
      if let known = opened[location] { return known }
      guard let folder else {
        throw EngineError(
          .invalidModel,
          "weights are in the file '\(location)', but the model was not read from a folder.")
      }
      let parts: [Substring] = location.split(separator: "/", omittingEmptySubsequences: false)
      guard !location.isEmpty, !location.hasPrefix("/"), !parts.contains("..") else {
        throw EngineError(
          .invalidModel,
          "weights are in '\(location)', expected a path inside of the model's folder.")
      }
      let file: URL = folder.appendingPathComponent(location)
      guard file.lies(within: folder) else {
        throw EngineError(
          .invalidModel,
          "the weight file '\(location)' is a link that leads out of the model's folder; put the file itself into the folder."
        )
      }
      do {
        let bytes: ByteValues = try MappedFile(path: file.path).bytes
        opened[location] = bytes
        return bytes
      } catch let error as ModelFormatError {
        throw EngineError(.invalidModel, "the weight file is missing: \(error.message)")
      }
    }
  }
}
