// Included once for each instruction set: the motion of the camera, from that of patches.

/// The motion of the camera: a shift, a zoom and a rotation.
struct CameraMotion {
  double shiftU = 0, shiftV = 0, zoom = 0, rotation = 0;
  /// The share of the patches' weight that moves with the camera.
  double share = 0;

  /// Fits the motion to patches by least squares. Patches that move otherwise weigh less with each iteration.
  CameraMotion(int64_t across, int64_t down, const float *patches) {
    for (const double scale : {8.0, 3.0, 1.5, 0.7, 0.4, 0.4}) {
      double weights = 0, sums[4] = {}, products[2] = {}, squares = 0, inside = 0, all = 0;
      for (int64_t row = 0; row < down; ++row) {
        for (int64_t column = 0; column < across; ++column) {
          const float *found = patches + (row * across + column) * 3;
          const auto x = static_cast<double>(column), y = static_cast<double>(row);
          const auto u = static_cast<double>(found[0]), v = static_cast<double>(found[1]);
          const double gapU = u - atU(x, y), gapV = v - atV(x, y);
          // Patches without structure say nothing, and one with sharp edges says no more than others.
          const double structure =
              std::min(200.0, std::max(0.0, static_cast<double>(found[2]) - 20));
          const double robust = 1 / (1 + (gapU * gapU + gapV * gapV) / (scale * scale));
          const double weight = structure * robust * robust;
          inside += structure * robust;
          all += structure;
          weights += weight;
          sums[0] += weight * x;
          sums[1] += weight * y;
          sums[2] += weight * u;
          sums[3] += weight * v;
          products[0] += weight * (x * u + y * v);
          products[1] += weight * (x * v - y * u);
          squares += weight * (x * x + y * y);
        }
      }
      if (!(weights > 0)) {
        share = 0;
        return;
      }
      share = inside / all;
      const double x = sums[0] / weights, y = sums[1] / weights;
      const double u = sums[2] / weights, v = sums[3] / weights;
      // A variance of one patch on the diagonal: few patches in one place fix no zoom.
      const double spread = squares / weights - x * x - y * y + 1;
      zoom = (products[0] / weights - x * u - y * v) / spread;
      rotation = (products[1] / weights - x * v + y * u) / spread;
      shiftU = u - zoom * x + rotation * y;
      shiftV = v - zoom * y - rotation * x;
    }
  }

  double atU(double x, double y) const { return shiftU + zoom * x - rotation * y; }
  double atV(double x, double y) const { return shiftV + zoom * y + rotation * x; }
};
