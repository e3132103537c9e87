import Foundation

/// Writes files of one format.
public protocol ModelWriter: Sendable {
  /// The format's name in sentences: “ONNX”.
  static var formatName: String { get }

  /// What the names of such files end in, without a dot: `onnx`.
  static var pathExtension: String { get }

  /// Writes a model to a file or folder, which appears complete or not at all.
  ///
  /// - Throws: ``EngineError``, a sentence that names the operator, for what the format cannot say.
  static func write(_ model: GraphModel, to url: URL, options: WritingOptions) throws
}

/// What a caller says of a file that is to be written.
public struct WritingOptions: Sendable {
  /// In which type a program computes, where the format has a choice.
  public enum Precision: String, Sendable, CaseIterable {
    /// Half the size and, on machines that have it, half the time.
    case float16
    /// As the model was read.
    case float32
  }

  /// In which type a program computes: `float16` as Core ML's tools do, unless told otherwise.
  public var precision: Precision = .float16

  /// What the format's tools do.
  public init() {}
}
