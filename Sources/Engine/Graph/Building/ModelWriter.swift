import Foundation

/// Writes files of one format.
public protocol ModelWriter: Sendable {
  /// The format's name in messages, such as “ONNX”.
  static var formatName: String { get }

  /// The file name extension without a dot, for example `onnx`.
  static var pathExtension: String { get }

  /// Writes a model to a file or folder. If writing fails, no incomplete file is left.
  ///
  /// - Throws: ``EngineError`` that names the operator, if the format cannot express it.
  static func write(_ model: GraphModel, to url: URL, options: WritingOptions) throws
}

/// A caller's options for writing a file.
public struct WritingOptions: Sendable {
  /// The floating-point type in which a written program computes, if the format has a choice.
  public enum Precision: String, Sendable, CaseIterable {
    /// Programs need half the memory of `float32`. They also take half the time on machines with float16 arithmetic.
    case float16
    /// Programs compute in the type in which the graph computes.
    case float32
  }

  /// The floating-point type in which a written program computes. By default it is `float16`, as in Core ML's tools.
  public var precision: Precision = .float16

  /// Creates options with the defaults of the format's tools.
  public init() {}
}
