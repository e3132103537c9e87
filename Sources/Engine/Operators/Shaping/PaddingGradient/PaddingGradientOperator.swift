import CKernels
import Backends
import Graph

/// The gradient of a padding: every pixel gets the sum of its copies.
///
/// - Input: `∂y [N, C, H + top + bottom, W + left + right]`.
/// - Output: `∂x [N, C, H, W]`.
/// - Errors: a gradient of another shape than the padding's output.
///
/// Made by differentiation only; no model holds it.
public struct PaddingGradientOperator: DerivedOperator {
  public static let declaration = OperatorDeclaration(
    "PaddingGradient", specification: nil, summary: "the sums of the copies that a padding made")

  /// The padding.
  public let padding: PaddingOperator
  /// The shape of what was padded.
  public let shape: Shape

  /// The gradient of a padding of a shape.
  public init(_ padding: PaddingOperator, of shape: Shape) {
    self.padding = padding
    self.shape = shape
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let padded: Shape =
      try padding.outputTypes(for: [OperatorInput(TensorType(shape))])?[0].shape ?? []
    guard inputs.count == 1, inputs[0].shape == padded else {
      throw EngineError(
        .invalidInput,
        "the gradient is \(inputs.first?.shape ?? []), expected \(padded), the padding of \(shape)."
      )
    }
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = ReferenceTensor(shape)
    let (rows, columns) = (sources(of: -2), sources(of: -1))
    inputs[0].shape.forEachIndex { index, position in
      var target = index
      guard let row = rows[index[index.count - 2]], let column = columns[index[index.count - 1]]
      else { return }
      target[index.count - 2] = row
      target[index.count - 1] = column
      result[target] += inputs[0].values[position]
    }
    return [result]
  }

  /// The place that each place of the padded axis is a copy of; nil where it holds a constant.
  private func sources(of axis: Int) -> [Int?] {
    let extent: Int = shape[axis]
    let amounts: EdgeAmounts = padding.amounts
    let (before, behind) =
      axis == -2 ? (amounts.top, amounts.bottom) : (amounts.left, amounts.right)
    return (-before..<extent + behind).map { (place: Int) -> Int? in
      switch padding.mode {
      case .constant: return (0..<extent).contains(place) ? place : nil
      case .replication: return min(max(place, 0), extent - 1)
      case .reflection: return padding.reflected(place, extent)
      }
    }
  }
}

extension PaddingGradientOperator {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native padding gradient") { request in
        let form: TensorDescriptor = request.followed()
        let target = TensorDescriptor(shape, form.storage, form.layout)
        guard shape.rank >= 2, shape.count > 0, form.shape.count > 0 else { return nil }
        let step = PaddingGradientStep(
          PictureBatch(target), padded: PictureBatch(form), type: form.kernelType,
          rows: try CopyTable(sources(of: -2), extent: shape[-2]),
          columns: try CopyTable(sources(of: -1), extent: shape[-1]))
        return Kernel(step, inputs: [form], outputs: [target])
      }
    ]
  }
}

/// The copies of each place of an axis: those of place *i* stand from `begins[i]` to `begins[i + 1]`.
private struct CopyTable: Sendable {
  let begins: AlignedBuffer
  let copies: AlignedBuffer

  init(_ sources: [Int?], extent: Int) throws {
    var lists = [[Int32]](repeating: [], count: extent)
    for (copy, source) in sources.enumerated() {
      if let source { lists[source].append(Int32(copy)) }
    }
    var starts: [Int32] = [0]
    for list in lists { starts.append(starts[starts.count - 1] + Int32(list.count)) }
    begins = try AlignedBuffer(integers: starts)
    copies = try AlignedBuffer(integers: lists.flatMap { $0 })
  }
}

/// Runs the native gradient of padding; follows the gradient's layout and type.
private final class PaddingGradientStep: Step, @unchecked Sendable {
  private let pictures: PictureBatch
  private let padded: PictureBatch
  private let type: ck_type
  private let rows: CopyTable
  private let columns: CopyTable

  init(
    _ pictures: PictureBatch, padded: PictureBatch, type: ck_type, rows: CopyTable,
    columns: CopyTable
  ) {
    self.pictures = pictures
    self.padded = padded
    self.type = type
    self.rows = rows
    self.columns = columns
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner gives memory of the two forms; the tables name places inside them.
    withExtendedLifetime((rows, columns)) {
      requireNative(
        ck_padding_gradient(
          type, memory.inputs[0], memory.outputs[0], pictures.batch, pictures.height,
          pictures.width, pictures.channels, padded.height, padded.width,
          rows.begins.integers,
          rows.copies.integers,
          columns.begins.integers,
          columns.copies.integers))
    }
  }
}
