import Foundation
import Graph
import ModelFormat
import Platform

/// What is the same for all nodes of a model.
package final class ModelContext: Sendable {
  /// The operators that are known.
  package let catalog: NodeCatalog
  /// The functions that the model brings along, by domain, name and overload.
  package let functions: [String: ONNX.FunctionProto]
  /// The folder in which files beside the model lie; nil for models in memory.
  private let folder: URL?
  private let opened = Locked<[String: ByteValues]>([:])

  /// The context of a model.
  package init(_ model: ONNX.ModelProto, folder: URL?, catalog: NodeCatalog = .standard) {
    self.catalog = catalog
    self.folder = folder
    functions = Dictionary(
      model.functions.map { (Self.key($0.domain, $0.name, $0.overload), $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The local function that a node calls; nil where it names none.
  package func function(of node: ONNX.NodeProto) -> ONNX.FunctionProto? {
    functions[Self.key(node.domain, node.opType, node.overload)]
  }

  private static func key(_ domain: String, _ name: String, _ overload: String) -> String {
    "\(domain == "ai.onnx" ? "" : domain)::\(name)::\(overload)"
  }

  /// The bytes of a file beside the model, by the location that a tensor names.
  ///
  /// - Throws: for locations that lead out of the model's folder, by their words or by links.
  package func file(at location: String) throws -> ByteValues {
    try opened.withLock { opened in
      if let known = opened[location] { return known }
      guard let folder else {
        throw EngineError(
          .invalidModel,
          "weights lie in the file '\(location)', but the model is not read from a folder.")
      }
      let parts: [Substring] = location.split(separator: "/", omittingEmptySubsequences: false)
      guard !location.isEmpty, !location.hasPrefix("/"), !parts.contains("..") else {
        throw EngineError(
          .invalidModel,
          "weights lie in '\(location)', expected a file beside the model or in a folder there.")
      }
      let file: URL = folder.appendingPathComponent(location)
      guard file.lies(within: folder) else {
        throw EngineError(
          .invalidModel,
          "the weight file '\(location)' is a link that leads out of the model's folder; put the file itself beside the model."
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
