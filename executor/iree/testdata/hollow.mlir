vm.module @hollow {
}
