import CAtelierHeader
import Compression
import Foundation
import ModelFormat

@c @implementation
public func atelier_compress(
  _ source: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let source = URL(fileURLWithPath: String(cString: try nonNull(source, "source")))
    let target = URL(fileURLWithPath: String(cString: try nonNull(target, "target")))
    let settings = try CompressionSettings(
      json: String(cString: try nonNull(options, "options")))
    try ModelCompressor(settings).compress(try ModelFile.open(source), to: target)
  }
}

extension CompressionSettings {
  /// Reads the settings from JSON in the format that the header atelier.h documents.
  fileprivate init(json: String) throws {
    let fields = try jsonObject(json, "options")
    guard let bits = fields["bits"] as? Int else {
      throw CallError("The options have no integer 'bits'.")
    }
    let modes: [String: Mode] = [
      "linear": .linear, "linear-symmetric": .linearSymmetric, "kmeans": .kMeans,
    ]
    let name: String = fields["mode"] as? String ?? "linear"
    guard let mode = modes[name] else {
      throw CallError("The mode is '\(name)', expected linear, linear-symmetric or kmeans.")
    }
    let table: [Float]? = (fields["table"] as? [NSNumber])?.map(\.floatValue)
    self.init(bits: bits, mode: table.map { .table($0) } ?? mode)
    groupSize = fields["group_size"] as? Int
    sparsity = (fields["sparsity"] as? NSNumber)?.doubleValue
    layers = (fields["layers"] as? [String]).map(Set.init)
  }
}
