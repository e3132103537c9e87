import Backends
import CKernels
import Graph
import Operators

extension PaddingGradientOperator: KernelProvider {
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

/// For each index of an axis: a list of the indices of its copies in the padded image. The copies of index *i* are
/// `copies[begins[i]..<begins[i + 1]]`.
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

/// Runs the native gradient of padding, in the gradient's layout and type.
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
    // Safe: the planner supplies memory in the kernel's forms, and the tables hold indices inside the forms.
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
