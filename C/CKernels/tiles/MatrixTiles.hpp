#pragma once

#include <cstdint>

namespace ck {

/// The processor's tiles: eight tiles of 16 rows of 64 bytes. An object of this class configures the tiles for the
/// thread that creates the object, and releases them when the object is destroyed. No other code may run while tiles
/// are configured. A new thread would inherit the configuration, and tiles in use slow down context switches.
///
/// The class is in assembly, because GNU's intrinsics do not declare which memory they read.
///
/// **Source:** Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18.
class MatrixTiles {
 public:
  MatrixTiles() {
    alignas(64) const Configuration configuration{};
    __asm__ volatile("ldtilecfg %0" : : "m"(configuration));
  }
  ~MatrixTiles() { __asm__ volatile("tilerelease" : : : "memory"); }
  MatrixTiles(const MatrixTiles &) = delete;
  MatrixTiles &operator=(const MatrixTiles &) = delete;

  template <int T>
  void zero() {
    __asm__ volatile("tilezero %%tmm%c0" : : "i"(T));
  }

  /// Reads 16 rows that are `stride` bytes apart.
  template <int T>
  void load(const void *from, int64_t stride) {
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(T) : "memory");
  }

  template <int T>
  void store(void *to, int64_t stride) {
    __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(T) : "memory");
  }

  /// C += A · B.
  template <int C, int A, int B>
  void multiply() {
    __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
  }

 private:
  struct Configuration {
    uint8_t palette = 1, start = 0, reserved[14] = {};
    uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
  static_assert(sizeof(Configuration) == 64, "what ldtilecfg reads");
};

}  // namespace ck
