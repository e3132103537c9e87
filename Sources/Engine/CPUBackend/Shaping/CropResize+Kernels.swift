import Backends
import CKernels
import Graph
import Operators

extension CropResizeOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [KernelCandidate("native crop and resize") { cropKernel($0) }]
  }

  /// Makes a kernel that follows the images' layout and type. Coordinates are computed in `Double`. Scratch memory
  /// holds the coordinates of all rows and columns.
  private func cropKernel(_ request: KernelRequest) -> Kernel? {
    let images: TensorDescriptor = request.followed()
    let regions = TensorDescriptor(request.inputs[1].shape)
    let output = TensorDescriptor(
      request.outputs[0].shape, images.storage, images.layout)
    guard images.shape.count > 0, regions.shape.count > 0, output.shape.count > 0 else {
      return nil
    }
    let isInterleaved: Bool = images.layout == .channelsLast
    let channels = Int64(images.shape[2])
    let scale = Double(spatialScale)
    let height: Int = images.shape[3]
    let width: Int = images.shape[4]
    let isWidthFirst: Bool =
      coordinates == .cornersWidthFirst || coordinates == .centerSizeWidthFirst
    let isCenterSize: Bool =
      coordinates == .centerSizeHeightFirst || coordinates == .centerSizeWidthFirst
    let description = ck_crop_resize(
      batch: Int64(images.shape[1]), planes: isInterleaved ? 1 : channels,
      height: Int64(height), width: Int64(width), channels: isInterleaved ? channels : 1,
      regions: Int64(regions.shape[0]), rows: Int64(self.height), columns: Int64(self.width),
      numbers: Int64(regions.shape[2]), grid: grid.native, width_first: isWidthFirst ? 1 : 0,
      center_size: isCenterSize ? 1 : 0,
      row_scale: isNormalized ? Double(height - 1) * scale : scale,
      column_scale: isNormalized ? Double(width - 1) * scale : scale, type: images.kernelType,
      has_outside: outside == nil ? 0 : 1, outside: outside ?? 0)
    let numbers: Int = regions.shape[2]
    let count: Int = images.shape[1]
    let step = ClosureStep { memory in
      // Safe: the planner supplies memory in the kernel's forms, and scratch memory of the stated size.
      let boxes = memory.inputs[1].assumingMemoryBound(to: Float.self)
      let bad: Int64 = withUnsafePointer(to: description) {
        ck_crop_resize_run($0, memory.inputs[0], boxes, memory.outputs[0], memory.scratch)
      }
      guard bad >= 0 else { return }
      throw Self.noImage(
        ReferenceTensor.integer(Double(boxes[Int(bad) * numbers])), region: Int(bad), of: count)
    }
    return Kernel(
      step, inputs: [images, regions], outputs: [output],
      scratchByteCount: withUnsafePointer(to: description) { ck_crop_resize_scratch_bytes($0) })
  }
}

extension SamplingGrid {
  /// The grid's name in CKernels.
  fileprivate var native: ck_grid {
    switch self {
    case .strictAlignEndpoints: return CK_GRID_STRICT_ENDPOINTS
    case .alignEndpoints: return CK_GRID_ENDPOINTS
    case .upsample: return CK_GRID_UPSAMPLE
    case .regionOfInterest: return CK_GRID_REGION_OF_INTEREST
    case .pixelCentres: return CK_GRID_PIXEL_CENTRES
    }
  }
}
