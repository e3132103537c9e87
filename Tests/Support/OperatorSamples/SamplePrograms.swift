import Foundation
import ModelFormat

/// Small ML Programs with several operations each, as MIL text in `Tests/Support/Programs`.
///
/// coremltools' builder created the programs. Their weights are in the text. Tests run them, and the mutation runner
/// damages them.
public enum SamplePrograms {
  /// The folder of the texts.
  public static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Programs", isDirectory: true)

  /// Reads all programs. Each has its file name, and a model with the program's inputs and outputs.
  public static func all() throws -> [(name: String, model: Spec.Model)] {
    let files: [URL] = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "mil" }
    return try files.sorted { $0.lastPathComponent < $1.lastPathComponent }.map { file in
      let text = try MILText(
        parsing: ByteValues([UInt8](try Data(contentsOf: file))), name: file.lastPathComponent)
      return (file.deletingPathExtension().lastPathComponent, Spec.Model(text.program))
    }
  }
}

extension Spec.Model {
  /// Creates a model from a program. The inputs and outputs are arrays with the types that the function `main` states.
  public init(_ program: Spec.MILSpec.Program) {
    self.init()
    specificationVersion = 9
    type = .mlProgram(program)
    description = Spec.ModelDescription()
    guard let function = program.functions["main"],
      let block = function.blockSpecializations[function.opset]
    else { return }
    description?.input = function.inputs.compactMap { Spec.FeatureDescription($0) }
    let made = block.operations.flatMap(\.outputs)
    description?.output = block.outputs.compactMap { name in
      made.last { $0.name == name }.flatMap { Spec.FeatureDescription($0) }
    }
  }
}

extension Spec.FeatureDescription {
  /// Creates an array feature with the type of a value. Nil if the value is not a tensor.
  fileprivate init?(_ value: Spec.MILSpec.NamedValueType) {
    guard case .tensorType(let tensor)? = value.type?.type else { return nil }
    self.init()
    name = value.name
    var array = Spec.ArrayFeatureType()
    switch tensor.dataType {
    case .float16: array.dataType = .float16
    case .int32: array.dataType = .int32
    default: array.dataType = .float32
    }
    array.shape = tensor.dimensions.compactMap { dimension in
      guard case .constant(let constant)? = dimension.dimension else { return nil }
      return Int64(clamping: constant.size)
    }
    if array.shape.count < tensor.dimensions.count { array.shape = [] }
    type = Spec.FeatureType()
    type?.type = .multiArrayType(array)
  }
}
