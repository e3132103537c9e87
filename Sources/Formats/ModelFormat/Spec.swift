/// The messages of the Core ML specification, one struct per protobuf message.
///
/// `Scripts/generate_specification.py` writes the types in `Generated/`. Their names follow the specification:
/// `CoreML.Specification.ConvolutionLayerParams` is `Spec.ConvolutionLayerParams`.
public enum Spec {
  /// The messages of ML Programs: `CoreML.Specification.MILSpec`.
  public enum MILSpec {}
  /// Apple's feature extractors and text models: `CoreML.Specification.CoreMLModels`.
  public enum CoreMLModels {}
}

/// A message of the specification that reads and writes itself in the protobuf wire format.
///
/// Fields that the specification does not define stay in `unknownFields`. The writer writes them after the known
/// fields.
public protocol SpecMessage: Equatable, Sendable {
  /// Makes a message with every field at its default.
  init()
  /// The message's name in the specification, for errors.
  static var messageName: String { get }
  /// The fields' numbers and names, each number before its name, for errors: `"1 kernelSize 2 stride"`.
  static var fieldNames: String { get }
  /// The fields of the message that the specification does not define, in the order in which the file states them.
  var unknownFields: UnknownFields { get set }
  /// Reads one field. `reader` has already read the field's key.
  mutating func decodeField(_ number: UInt32, from reader: inout WireReader) throws
  /// Writes every field that is set, in the order of field numbers.
  func encode(into writer: inout WireWriter)
}

extension SpecMessage {
  /// Reads a message. Its weights and byte fields are slices of `bytes`.
  ///
  /// - Parameter name: The model's name in errors, such as `'x.mlmodel'`.
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

  /// Returns whether the wire formats of both messages are the same bytes. So a NaN equals itself.
  ///
  /// If both wire formats have the same length, this function writes both messages into memory to compare them.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  public static func == (left: Self, right: Self) -> Bool {
    var first = WireWriter(measuring: left)
    var second = WireWriter(measuring: right)
    guard first.measuredCount == second.measuredCount else { return false }
    left.encode(into: &first)
    right.encode(into: &second)
    return first.takeBytes() == second.takeBytes()
  }

  /// Returns the message in the protobuf wire format.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  public func serialized() -> [UInt8] {
    var writer = WireWriter(measuring: self)
    encode(into: &writer)
    return writer.takeBytes()
  }
}

/// An enumeration of the specification. The case `unrecognized` stores a number for which the specification defines no
/// case.
public protocol SpecEnumeration: RawRepresentable, Hashable, Sendable where RawValue == Int32 {
  /// Makes the case with this number, or `unrecognized` if the specification does not define the number.
  init(rawValue: Int32)
}
