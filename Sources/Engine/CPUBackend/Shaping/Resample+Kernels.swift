import Backends
import CKernels
import Graph
import Operators

extension ResampleOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native resampling") { resampleKernel($0) }]
  }

  /// Follows the pictures' layout and type; places are found in double precision.
  private func resampleKernel(_ request: KernelRequest) -> Kernel? {
    let pictures: TensorDescriptor = request.followed()
    let places = TensorDescriptor(request.inputs[1].shape)
    let output = TensorDescriptor(request.outputs[0].shape, pictures.storage, pictures.layout)
    guard pictures.shape.count > 0, output.shape.count > 0 else { return nil }
    let (height, width) = (pictures.shape[2], pictures.shape[3])
    let (down, across) = (coordinates.line(extent: height), coordinates.line(extent: width))
    var outside: Float = 0
    if case .constant(let value) = border { outside = value }
    let description = ck_resample(
      batch: Int64(pictures.shape[0]), channels: Int64(pictures.shape[1]), height: Int64(height),
      width: Int64(width), rows: Int64(output.shape[2]), columns: Int64(output.shape[3]),
      shares_places: places.shape[0] == 1 ? 1 : 0,
      channels_last: pictures.layout == .channelsLast ? 1 : 0, nearest: isNearest ? 1 : 0,
      border: border.native, outside: outside, x_scale: across.scale, x_offset: across.offset,
      y_scale: down.scale, y_offset: down.offset, type: pictures.kernelType)
    let step = ClosureStep { memory in
      // Safe: the planner gives memory of these forms, and places outside are not read.
      withUnsafePointer(to: description) {
        ck_resample_run(
          $0, memory.inputs[0], memory.inputs[1].assumingMemoryBound(to: Float.self),
          memory.outputs[0])
      }
    }
    return Kernel(step, inputs: [pictures, places], outputs: [output])
  }
}

extension ResampleOperator.Border {
  /// CKernels' name of the border.
  fileprivate var native: ck_border {
    switch self {
    case .constant: return CK_BORDER_CONSTANT
    case .edge: return CK_BORDER_EDGE
    case .reflection: return CK_BORDER_REFLECTION
    case .symmetry: return CK_BORDER_SYMMETRY
    }
  }
}
