import Backends
import CKernels
import Graph
import Operators

extension ResampleOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native resampling") { resampleKernel($0) }]
  }

  /// Makes a kernel that follows the images' layout and type. Coordinates are computed in `Double`.
  private func resampleKernel(_ request: KernelRequest) -> Kernel? {
    let images: TensorDescriptor = request.followed()
    let points = TensorDescriptor(request.inputs[1].shape)
    let output = TensorDescriptor(request.outputs[0].shape, images.storage, images.layout)
    guard images.shape.count > 0, output.shape.count > 0 else { return nil }
    let (height, width) = (images.shape[2], images.shape[3])
    let (down, across) = (coordinates.affine(extent: height), coordinates.affine(extent: width))
    var outside: Float = 0
    if case .constant(let value) = border { outside = value }
    let description = ck_resample(
      batch: Int64(images.shape[0]), channels: Int64(images.shape[1]), height: Int64(height),
      width: Int64(width), rows: Int64(output.shape[2]), columns: Int64(output.shape[3]),
      shares_points: points.shape[0] == 1 ? 1 : 0,
      channels_last: images.layout == .channelsLast ? 1 : 0, nearest: isNearest ? 1 : 0,
      border: border.native, outside: outside, x_scale: across.scale, x_offset: across.offset,
      y_scale: down.scale, y_offset: down.offset, type: images.kernelType)
    let step = ClosureStep { memory in
      // Safe: the planner supplies memory in the kernel's forms, and points outside of the image are not read.
      withUnsafePointer(to: description) {
        ck_resample_run(
          $0, memory.inputs[0], memory.inputs[1].assumingMemoryBound(to: Float.self),
          memory.outputs[0])
      }
    }
    return Kernel(step, inputs: [images, points], outputs: [output])
  }
}

extension ResampleOperator.Border {
  /// The border mode's name in CKernels.
  fileprivate var native: ck_border {
    switch self {
    case .constant: return CK_BORDER_CONSTANT
    case .edge: return CK_BORDER_EDGE
    case .reflection: return CK_BORDER_REFLECTION
    case .symmetry: return CK_BORDER_SYMMETRY
    }
  }
}
