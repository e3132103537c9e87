import Operators
import Backends
import CKernels
import Graph

extension PointwiseProgram {
  /// The candidate that runs this program; the operator's only output has the shape of its inputs when
  /// they are broadcast.
  public func candidate(_ name: String) -> KernelCandidate {
    KernelCandidate(name) { request in try kernel(for: request) }
  }

  /// The kernel for a request; nil beyond the limits of `ck_pointwise.h`.
  ///
  /// Follows the producers: the output is channels-last, or `bfloat16` where that is allowed, when
  /// an input of the output's shape is; bytes are read, and written by programs that make them. Inputs of other shapes, such as one value a channel, are
  /// read as they are. The output may take over the first input's memory.
  public func kernel(for request: KernelRequest) throws -> Kernel? {
    let output = request.outputs[0].shape
    guard request.inputs.count == inputCount, fitsKernel,
      output.dimensions.count(where: { $0 != 1 }) <= Int(CK_MAX_RANK),
      !operations.isEmpty
    else { return nil }

    let large = request.inputs.filter { $0.shape.count == output.count }
    let isChannelsLast = large.contains { $0.layout == .channelsLast && !$0.isOrderFree }
    let layout: Layout = isChannelsLast && output.rank >= 3 ? .channelsLast : .dense
    let isHalf = request.precision == .bfloat16 && large.contains { $0.storage == .bfloat16 }
    let target = TensorDescriptor(
      output, makesBytes ? .uint8 : isHalf ? .bfloat16 : .float32, layout)
    let inputs: [TensorDescriptor] = request.inputs.enumerated().map { position, offered in
      var form = offered
      if request.bytes.contains(position) {
        form.storage = .uint8
      } else if offered.storage != .bfloat16 {
        form.storage = .float32
      }
      let sameShape = offered.shape == output
      if offered.shape.count == output.count, !offered.isOrderFree, offered.layout != layout {
        form.layout = sameShape || offered.shape.rank >= 3 ? layout : .dense
      }
      return form
    }
    guard let step = try PointwiseStep(self, inputs: inputs, output: target) else { return nil }
    let reusable = inputs.firstIndex {
      $0.shape.count == output.count && $0.storage == target.storage
        && ($0.layout == target.layout || $0.isOrderFree) && $0.shape == output
    }
    return Kernel(
      step, inputs: inputs, outputs: [target], inPlaceInput: reusable, readsElementwise: true)
  }
}
