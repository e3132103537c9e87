/// The messages of the Core ML specification, one struct per protobuf message.
///
/// The types in `Generated/` are written by `Scripts/generate_specification.py`; names follow the
/// specification: `CoreML.Specification.ConvolutionLayerParams` is `Spec.ConvolutionLayerParams`.
public enum Spec {
  /// The messages of ML Programs: `CoreML.Specification.MILSpec`.
  public enum MILSpec {}
  /// Apple's feature extractors and text models: `CoreML.Specification.CoreMLModels`.
  public enum CoreMLModels {}
}

/// A message of the specification that reads and writes itself in the protobuf wire format.
///
/// Fields that the specification does not know stay in `unknownFields` and are written back after
/// the known ones.
public protocol SpecMessage: Equatable, Sendable {
  /// A message with every field at its default.
  init()
  /// The message's name in the specification, for errors.
  static var messageName: String { get }
  /// Field numbers and names, `"1 kernelSize 2 stride"`, for errors.
  static var fieldNames: String { get }
  /// Fields that the specification does not know, in the order of the file.
  var unknownFields: UnknownFields { get set }
  /// Reads one field, whose key `reader` has just passed.
  mutating func decodeField(_ number: UInt32, from reader: inout WireReader) throws
  /// Writes every field that is set, in the order of their numbers.
  func encode(into writer: inout WireWriter)
}

extension SpecMessage {
  /// Reads a message; its weights and byte fields stay slices of `bytes`.
  ///
  /// - Parameter name: what errors call the model, such as `'x.mlmodel'`.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  public init(serialized bytes: ByteValues, name: String = "in memory") throws {
    self.init()
    var reader = WireReader(bytes)
    do {
      try withExtendedLifetime(bytes) { try reader.decodeFields(of: &self) }
    } catch let fault as FieldFault {
      throw ModelFormatError(
        code: fault.isDepth ? .nestedTooDeep : .damaged, message: "Model \(name): \(fault.sentence)"
      )
    }
  }

  /// Equal where both would be written as the same bytes; so a NaN equals itself.
  ///
  /// Takes the memory of both written messages when these are equally long.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  public static func == (left: Self, right: Self) -> Bool {
    var first = WireWriter(measuring: left)
    var second = WireWriter(measuring: right)
    guard first.measuredCount == second.measuredCount else { return false }
    left.encode(into: &first)
    right.encode(into: &second)
    return first.takeBytes() == second.takeBytes()
  }

  /// The message in the protobuf wire format.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  public func serialized() -> [UInt8] {
    var writer = WireWriter(measuring: self)
    encode(into: &writer)
    return writer.takeBytes()
  }
}

/// An enumeration of the specification; values that it does not know are kept.
public protocol SpecEnumeration: RawRepresentable, Hashable, Sendable where RawValue == Int32 {
  /// The case with this number, or `unrecognized`.
  init(rawValue: Int32)
}
